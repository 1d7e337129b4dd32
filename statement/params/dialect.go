package params

import "strings"

// dialect is how texts, names and comments are written, because these have no
// parameters.
type dialect struct {
	escapes bool // inside quotes, a backslash escapes the next character
	doubles bool // inside quotes, a quote is written twice
	triples bool // triple quotes enclose a text
	hash    bool // # starts a comment
	nested  bool // comments in /* */ can be nested
	dollars bool // $tag$ encloses a text; E'…' has escapes
}

// duckdb is written as PostgreSQL is.
var duckdb = dialect{doubles: true, nested: true, dollars: true}

// dialects by the names of sql_flavor.
func dialectOf(flavor string) (dialect, bool) {
	switch flavor {
	case "duckdb", "postgres":
		return duckdb, true
	case "bigquery":
		return dialect{escapes: true, triples: true, hash: true}, true
	case "mysql":
		return dialect{escapes: true, doubles: true, hash: true}, true
	}
	return dialect{}, false
}

// Opaque returns the length of a comment, text or quoted name at the start of s in
// DuckDB's SQL; 0 if there is none, -1 if it is unterminated.
func Opaque(s string) int { return duckdb.opaque(s) }

// opaque returns the length of a comment, text or quoted name at the start of s;
// 0 if there is none, -1 if it is unterminated.
func (d dialect) opaque(s string) int {
	switch {
	case strings.HasPrefix(s, "--"), d.hash && s[0] == '#':
		if end := strings.IndexByte(s, '\n'); end >= 0 {
			return end + 1
		}
		return len(s)
	case strings.HasPrefix(s, "/*"):
		return d.comment(s)
	case s[0] == '\'' || s[0] == '"' || s[0] == '`':
		if three := s[:1] + s[:1] + s[:1]; d.triples && strings.HasPrefix(s, three) {
			return d.quoted(s, three)
		}
		return d.quoted(s, s[:1])
	case d.dollars && len(s) > 1 && s[0]|0x20 == 'e' && s[1] == '\'':
		return after(1, dialect{escapes: true, doubles: true}.quoted(s[1:], "'"))
	case d.dollars && s[0] == '$':
		tag := 1 + wordLen(s[1:])
		if tag >= len(s) || s[tag] != '$' || '0' <= s[1] && s[1] <= '9' {
			return 0
		}
		end := strings.Index(s[tag+1:], s[:tag+1])
		if end < 0 {
			return -1
		}
		return end + 2*(tag+1)
	}
	return 0
}

func after(n, length int) int {
	if length < 0 {
		return length
	}
	return n + length
}

func (d dialect) comment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			if depth == 0 || d.nested {
				depth++
			}
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// quoted returns the length of a quoted text.
func (d dialect) quoted(s, quote string) int {
	for i := len(quote); i < len(s); i++ {
		switch {
		case d.escapes && s[i] == '\\':
			i++
		case !strings.HasPrefix(s[i:], quote):
		case d.doubles && strings.HasPrefix(s[i+len(quote):], quote):
			i++
		default:
			return i + len(quote)
		}
	}
	return -1
}

// nameLen returns the length of the name at the start of s; it can contain a
// dollar sign if the dialect allows that.
func (d dialect) nameLen(s string) int {
	n := wordLen(s)
	for n > 0 && d.dollars && n < len(s) && s[n] == '$' {
		n += 1 + wordLen(s[n+1:])
	}
	return n
}

// wordLen returns the length of the word at the start of s.
func wordLen(s string) int {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return i
		}
	}
	return len(s)
}
