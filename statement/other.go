package statement

import (
	"errors"
	"strings"

	"github.com/agnes-data/da/api"
)

// instead is advice for a statement that is not a SELECT.
type instead struct {
	hint string
	next []api.Step
}

var (
	bare = instead{hint: "Write one statement that begins with SELECT, WITH, FROM, VALUES, DESCRIBE or SUMMARIZE."}
	show = instead{hint: "DESCRIBE and SUMMARIZE work on a table.", next: []api.Step{
		api.Do(api.ActionSnapshots, "see what is on this machine"), api.Do(api.ActionCatalog, "see what can be fetched"),
	}}
	read = instead{hint: "A query only reads.", next: []api.Step{
		api.Do(api.ActionFetch, "make a snapshot"), api.Set(api.OptionOut, "write a result to a file"),
	}}
	drop     = instead{hint: "A query only reads.", next: []api.Step{api.Do(api.ActionDrop, "remove a snapshot")}}
	write    = instead{next: []api.Step{api.Set(api.OptionOut, "write a result to a file")}}
	settings = instead{hint: "The engine's settings are fixed."}
	closed   = instead{hint: "Statements read tables by name; no other database can be opened."}
	sealed   = instead{hint: "The engine takes no extensions."}
	single   = instead{hint: "Transactions are not needed: each statement is one of its own."}
)

// others are the statements that are not a SELECT, by their first word.
var others = map[string]instead{
	"EXPLAIN": {hint: "A query over snapshots costs only time.", next: []api.Step{
		api.Do(api.ActionEstimate, "see what a fetch would read"),
		api.Set(api.OptionExplain, "see how the engine runs it on this machine, without that word"),
	}},
	"SHOW": show, "PIVOT": {hint: pivotHint},
	"COPY": write, "EXPORT": write,
	"INSERT": read, "MERGE": read, "ALTER": read, "CREATE": read,
	"DELETE": {hint: "A query only reads: select the rows to keep, as in SELECT * FROM t WHERE NOT (…).", next: write.next},
	"UPDATE": {hint: "A query only reads: select the new values, as in SELECT * REPLACE (… AS name) FROM t.", next: write.next},
	"DROP":   drop, "TRUNCATE": drop,
	"ATTACH": closed, "USE": closed,
	"SET": settings, "RESET": settings, "PRAGMA": settings,
	"INSTALL": sealed, "LOAD": sealed,
	"BEGIN": single, "COMMIT": single,
	"CALL": bare, "EXECUTE": bare, "PREPARE": bare, "CHECKPOINT": bare, "VACUUM": bare,
}

const notSupported = " is not supported"

// HintSteps adds to the rejection of a CREATE, if statements share an engine,
// that a step can be named. It returns other errors unchanged.
func HintSteps(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindNotSelect || e.Message != "CREATE"+notSupported {
		return err
	}
	hinted := *e
	hinted.Hint = "A query only reads; CREATE TEMP VIEW name AS SELECT … names a step for the statements after it."
	hinted.Err = err
	return &hinted
}

const pivotHint = "Write the values out: PIVOT t ON column IN (…) USING …."

// refuseOther rejects a text that the parser understood but that is not one
// SELECT. It examines the text only to word the error.
func refuseOther(sql string) error {
	first, count := outline(sql)
	if count > 1 {
		return Refuse(api.KindMultiStatement, "there is more than one statement", "Send one statement at a time, without a semicolon inside.")
	}
	switch first {
	case "SELECT", "WITH", "FROM", "VALUES", "TABLE", "UNPIVOT", "DESCRIBE", "DESC", "SUMMARIZE":
		// Mostly a PIVOT inside, which first has to look its values up, and so
		// is two statements.
		return Refuse(api.KindNotSelect, "the statement is not one plain SELECT", "If it holds a PIVOT: "+pivotHint)
	case "PIVOT":
		return Refuse(api.KindNotSelect, "PIVOT needs its values", pivotHint)
	}
	do, ok := others[first]
	if !ok {
		return Refuse(api.KindNotSelect, "the statement is not a SELECT", bare.hint)
	}
	return Refuse(api.KindNotSelect, first+notSupported, do.hint, do.next...)
}

// outline returns the first word of a text, in upper case, and the apparent
// number of statements.
func outline(sql string) (first string, count int) {
	open := false // inside a statement
	for i := 0; i < len(sql); {
		n := tokenLen(sql[i:])
		token := sql[i : i+n]
		i += n
		switch {
		case token == ";":
			open = false
		case isSpace(token) || strings.HasPrefix(token, "--") || strings.HasPrefix(token, "/*"):
		default:
			if !open {
				open = true
				count++
			}
			if first == "" && token != "(" {
				first = strings.ToUpper(token)
			}
		}
	}
	return first, count
}

// tokenLen returns the length of the first token of s, which must not be empty.
// Strings, quoted names and comments are single tokens.
func tokenLen(s string) int {
	switch c := s[0]; {
	case strings.HasPrefix(s, "--"):
		return through(s, 2, "\n")
	case strings.HasPrefix(s, "/*"):
		return through(s, 2, "*/")
	case c == '\'' || c == '"':
		return through(s, 1, s[:1]) // a doubled quote ends one string and starts another
	case c == '$':
		if tag := 1 + wordLen(s[1:]); tag < len(s) && s[tag] == '$' {
			return through(s, tag+1, s[:tag+1])
		}
		return 1
	case wordLen(s) > 0:
		return wordLen(s)
	}
	return 1
}

// through returns the length of s up to and with the first end after from.
func through(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

func wordLen(s string) int {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return i
		}
	}
	return len(s)
}

func isSpace(token string) bool { return strings.TrimSpace(token) == "" }

// trim takes space and semicolons off the ends. Inside a comment at the end
// they mean nothing, and no string ends in one.
func trim(sql string) string {
	return strings.TrimRight(strings.TrimSpace(sql), "; \t\r\n\v\f")
}
