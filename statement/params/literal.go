package params

import (
	"encoding/json"
	"strings"
)

// literal writes a value in a dialect. A list is its items with commas between
// them, for IN ($list).
func (d dialect) literal(value any) string {
	switch v := value.(type) {
	case bool:
		if v {
			return "TRUE"
		}
		return "FALSE"
	case json.Number:
		if strings.HasPrefix(v.String(), "-") {
			return "(" + v.String() + ")" // two signs would start a comment
		}
		return v.String()
	case string:
		return d.text(v)
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, d.literal(item))
		}
		return strings.Join(items, ", ")
	}
	return "NULL"
}

// text writes a text in single quotes.
func (d dialect) text(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range []byte(s) {
		switch {
		case r == '\'' && d.escapes && !d.doubles:
			b.WriteString(`\'`)
		case r == '\'':
			b.WriteString("''")
		case r == '\\' && d.escapes:
			b.WriteString(`\\`)
		case r == '\n' && d.escapes:
			b.WriteString(`\n`)
		case r == '\r' && d.escapes:
			b.WriteString(`\r`)
		default:
			b.WriteByte(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
