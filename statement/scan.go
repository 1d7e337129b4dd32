package statement

import (
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/statement/params"
)

// token is a word or a sign of a statement.
type token struct {
	text   string
	at     int
	result bool // looks like the name of a result
	table  bool // a table name can be at this position
	dotted bool // a dot follows
}

// lexeme is a word, the name of a result, or any one character.
var lexeme = lazyregexp.New(`(?s)^(?:@[rR][1-9][0-9]{0,8}|[\pL_][\pL\pN_$]*|.)`)

// level is the state within one pair of parentheses.
type level struct {
	begun  bool // a token was seen
	query  bool // it is a query, not the arguments of a call
	tables bool // inside a list of tables
}

// scan tokenizes a statement just far enough to find its table names: after FROM
// and JOIN, and after a comma in a FROM list. Texts, quoted names and comments
// are not tokens. Something unterminated ends the scan, because the parser will
// reject it.
func scan(sql string) []token {
	var tokens []token
	levels := []level{{}}
	last := "" // the previous word or sign, in upper case
	for at := 0; at < len(sql); {
		if n, opaque := skip(sql[at:]); n < 0 {
			break
		} else if n > 0 {
			at += n
			if opaque {
				last = "''"
				levels[len(levels)-1].begun = true
			}
			continue
		}
		t := token{text: lexeme().FindString(sql[at:]), at: at}
		at += len(t.text)
		word := strings.ToUpper(t.text)
		l := &levels[len(levels)-1]
		t.result = len(t.text) > 1 && t.text[0] == '@' && !wordFollows(sql[at:])
		t.dotted = strings.HasPrefix(sql[at:], ".")
		switch last {
		case "FROM", "JOIN", ",", "(":
			t.table = l.tables
		case "DESCRIBE", "SUMMARIZE":
			t.table = true
		}
		tokens = append(tokens, t)
		switch word {
		case "SELECT":
			l.query, l.tables = true, false
		case "FROM":
			l.tables = last != "DISTINCT" && (l.query || !l.begun || last == "DESCRIBE" || last == "SUMMARIZE")
		case "JOIN":
			l.tables = true
		case "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT", "ON", "USING":
			l.query, l.tables = true, false
		}
		l.begun = true
		switch word {
		case "(":
			listed := l.tables && (last == "FROM" || last == "JOIN" || last == "," || last == "(")
			levels = append(levels, level{tables: listed})
		case ")":
			levels = levels[:max(len(levels)-1, 1)]
		}
		last = word
	}
	return tokens
}

// skip returns the length of space, a comment or a quoted text at the start of s;
// opaque says that it is quoted. -1 if it is unterminated.
func skip(s string) (n int, opaque bool) {
	if strings.ContainsRune(" \t\r\n\v\f", rune(s[0])) {
		return 1, false
	}
	n = params.Opaque(s)
	return n, n != 0 && !strings.HasPrefix(s, "--") && !strings.HasPrefix(s, "/*")
}

// wordFollows reports whether a name continues.
func wordFollows(rest string) bool {
	if rest == "" {
		return false
	}
	r := rest[0]
	return r == '_' || r == '$' || r >= 0x80 || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
}
