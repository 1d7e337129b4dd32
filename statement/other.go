package statement

import "strings"

const (
	showHint = "`da snapshot list` shows what is on this machine, `da catalog` what can be fetched; DESCRIBE and SUMMARIZE work on a table."
	readHint = "A query only reads. `da fetch TABLE --as NAME` makes a snapshot, `da query … --out FILE` a file."
	bareHint = "Write one statement that begins with SELECT, WITH, FROM, VALUES, DESCRIBE or SUMMARIZE."
)

// otherHints say what to do instead of a statement that is no SELECT, by its
// first word.
var otherHints = map[string]string{
	"EXPLAIN":    "`da fetch … --estimate` tells what a fetch would read; a query on snapshots costs nothing but time.",
	"SHOW":       showHint,
	"PIVOT":      "Write the values out: PIVOT t ON column IN (…) USING ….",
	"COPY":       "`da query … --out FILE` writes a result to a file.",
	"EXPORT":     "`da query … --out FILE` writes a result to a file.",
	"INSERT":     readHint,
	"UPDATE":     readHint,
	"DELETE":     readHint,
	"MERGE":      readHint,
	"TRUNCATE":   readHint,
	"CREATE":     readHint,
	"ALTER":      readHint,
	"DROP":       "A query only reads. `da snapshot drop NAME` drops a snapshot.",
	"ATTACH":     "Statements read tables by name; no other database can be opened.",
	"USE":        "Statements read tables by name; no other database can be opened.",
	"SET":        "The engine's settings are fixed.",
	"RESET":      "The engine's settings are fixed.",
	"PRAGMA":     "The engine's settings are fixed.",
	"INSTALL":    "The engine takes no extensions.",
	"LOAD":       "The engine takes no extensions.",
	"CALL":       bareHint,
	"EXECUTE":    bareHint,
	"PREPARE":    bareHint,
	"BEGIN":      "Each statement stands alone.",
	"COMMIT":     "Each statement stands alone.",
	"CHECKPOINT": bareHint,
	"VACUUM":     bareHint,
}

// refuseOther refuses a text that the parser understood and that is not one
// SELECT. The text is looked at only to say what is wrong with it.
func refuseOther(sql string) error {
	first, count := outline(sql)
	if count > 1 {
		return Refuse(MultiStatement, "there is more than one statement", "Send one statement at a time, without a semicolon inside.")
	}
	switch first {
	case "SELECT", "WITH", "FROM", "VALUES", "TABLE", "UNPIVOT", "DESCRIBE", "DESC", "SUMMARIZE":
		// Mostly a PIVOT inside, which first has to look its values up, and so
		// is two statements.
		return Refuse(NotSelect, "the statement is not one plain SELECT", "If it holds a PIVOT: "+otherHints["PIVOT"])
	case "PIVOT":
		return Refuse(NotSelect, "PIVOT needs its values", otherHints["PIVOT"])
	}
	hint, ok := otherHints[first]
	if !ok {
		return Refuse(NotSelect, "the statement is not a SELECT", bareHint)
	}
	return Refuse(NotSelect, first+" is not supported", hint)
}

// outline returns the first word of a text, in upper case, and how many
// statements it seems to have.
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

// tokenLen returns the length of the token that s, which is not empty, begins
// with. Strings, quoted names and comments are one token.
func tokenLen(s string) int {
	switch c := s[0]; {
	case strings.HasPrefix(s, "--"):
		return through(s, 2, "\n")
	case strings.HasPrefix(s, "/*"):
		return through(s, 2, "*/")
	case c == '\'' || c == '"':
		return through(s, 1, s[:1]) // a doubled quote ends one and begins another
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
