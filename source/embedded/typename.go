package embedded

import (
	"strings"

	"github.com/agnes-data/da/api"
)

// FieldsOf returns the fields of a struct type, or of a list of structs, in the
// engine's notation: STRUCT(a INTEGER, "b c" VARCHAR[])[]. Other types have no
// fields.
func FieldsOf(typ string) []api.Column {
	for strings.HasSuffix(typ, "]") {
		open := strings.LastIndexByte(typ, '[')
		if open < 0 {
			return nil
		}
		typ = typ[:open]
	}
	inside, ok := strings.CutPrefix(typ, "STRUCT(")
	if !ok || !strings.HasSuffix(inside, ")") {
		return nil
	}
	var fields []api.Column
	for _, part := range splitTop(inside[:len(inside)-1]) {
		name, rest := fieldName(strings.TrimSpace(part))
		fields = append(fields, api.Column{Name: name, Type: rest, Nullable: true, Fields: FieldsOf(rest)})
	}
	return fields
}

// splitTop splits at the commas outside of parentheses and quotes.
func splitTop(s string) []string {
	var parts []string
	depth, start := 0, 0
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0 // a doubled quote opens again at once
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// fieldName takes the name, quoted or not, off the front of a field.
func fieldName(s string) (name, rest string) {
	if !strings.HasPrefix(s, `"`) {
		name, rest, _ = strings.Cut(s, " ")
		return name, rest
	}
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			i++
			continue
		}
		return strings.ReplaceAll(s[1:i], `""`, `"`), strings.TrimSpace(s[i+1:])
	}
	return s, ""
}
