package predicate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// mostExamples bounds the examples of a table.
const mostExamples = 3

// day matches what a value of DATE begins with, and one of TIMESTAMP.
var day = lazyregexp.New(`^\d{4}-\d{2}-\d{2}(?:[T ](\d{2}:\d{2}:\d{2}))?`)

// Examples returns predicates in a table's dialect that hold for a row of it: one on a
// column of time, one on a text, one on a number, as far as the table has them. row has
// the values of columns, nil for NULL.
func Examples(s *api.TableSchema, columns []string, row []any) (examples []string) {
	d := Dialect(s.SQLFlavor)
	if !slices.Contains(Dialects(), d) { // of a newer server
		return nil
	}
	known, err := NewSchema(d, s.Columns)
	if err != nil {
		return nil
	}
	values := map[string]any{}
	for i, name := range columns[:min(len(columns), len(row))] {
		values[name] = row[i]
	}
	taken := map[string]bool{}
	for _, c := range s.Columns {
		kind, text := exampleOf(c, values[c.Name], s.WhereDialectHints)
		if c.Masked != "" || kind == "" || taken[kind] || len(examples) == mostExamples {
			continue
		}
		if _, err := Parse(d, text, known); err == nil { // the name can need quotes
			taken[kind] = true
			examples = append(examples, text)
		}
	}
	return examples
}

// longestExample is the longest text that is shown whole.
const longestExample = 30

// exampleOf is a predicate that holds for a value, and what kind of value it is; "" if
// there is none that is sure to.
func exampleOf(c api.Column, value any, hints map[string]string) (kind, text string) {
	typ := strings.ToUpper(c.Type)
	shown := fmt.Sprint(value)
	switch value := value.(type) {
	case string:
		at := day().FindStringSubmatch(value)
		switch {
		case at != nil && typ == "DATE":
			return "time", c.Name + " >= DATE '" + value[:10] + "'"
		case at != nil && at[1] != "" && strings.HasPrefix(typ, "TIMESTAMP") || typ == "DATETIME":
			if at == nil || !strings.HasPrefix(hints["timestamp_literal"], "TIMESTAMP '") || strings.Contains(typ, "TZ") ||
				strings.Contains(typ, "ZONE") {
				return "", ""
			}
			return "time", c.Name + " >= TIMESTAMP '" + value[:10] + " " + at[1] + "'"
		case (strings.Contains(typ, "CHAR") || typ == "TEXT" || typ == "STRING") && value != "" && len(value) <= longestExample &&
			!strings.ContainsAny(value, "'\\\n\r\t\x00") && strings.TrimSpace(value) == value:
			return "text", c.Name + " = '" + value + "'"
		}
	case int, int32, int64, uint64, json.Number:
		if strings.Contains(typ, "INT") && !strings.ContainsAny(shown, ".eE") {
			return "number", c.Name + " >= " + shown
		}
	}
	return "", ""
}
