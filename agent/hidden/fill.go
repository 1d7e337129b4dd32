package hidden

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// placeholder matches what stands for a value, and what was meant to.
var placeholder = lazyregexp.New(`\{\{[^{}\n]*\}\}`)

// Fill puts values in the place of placeholders. unknown are those that name none.
func (v *Values) Fill(text string) (filled string, unknown []string) {
	filled = placeholder().ReplaceAllStringFunc(text, func(s string) string {
		value, ok := v.named(strings.TrimSpace(s[2 : len(s)-2]))
		if !ok {
			unknown = append(unknown, s)
			return s
		}
		return value
	})
	return filled, unknown
}

// Own is the part of a text that a model has written itself.
func Own(text string) string { return placeholder().ReplaceAllString(text, "") }

// named returns the value that a placeholder names.
func (v *Values) named(name string) (string, bool) {
	parts := strings.SplitN(name, ".", 3)
	n, err := strconv.Atoi(strings.TrimPrefix(parts[0], "r"))
	if err != nil || n < 1 || n > len(v.results) || len(parts) < 2 {
		return "", false
	}
	r := v.results[n-1]
	if len(parts) == 2 {
		return r.total, parts[1] == "rows"
	}
	row, err := strconv.Atoi(parts[1])
	column := slices.IndexFunc(r.columns, func(c string) bool { return strings.EqualFold(c, parts[2]) })
	if err != nil || row < 1 || row > len(r.rows) || column < 0 || column >= len(r.rows[row-1]) {
		return "", false
	}
	return shown(r.rows[row-1][column]), true
}

// shown is a value within a text: on one line.
func shown(value any) string {
	switch value := value.(type) {
	case nil:
		return "NULL"
	case string:
		return strings.Join(strings.Fields(value), " ")
	case json.Number:
		return value.String()
	case api.Row:
		if start, ok := field(value, "start").(string); ok && len(value.Columns) == 2 { // of a long text
			return shown(start) + "…"
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// Stream fills a text that comes in pieces. It holds back what can become a placeholder.
// Without Values all stays as it is.
type Stream struct {
	Values *Values
	held   string
}

// unfinished matches the beginning of a placeholder at the end of a text.
var unfinished = lazyregexp.New(`\{(?:\{(?:[^{}\n]+\}?)?)?$`)

// longest is more than a placeholder has.
const longest = 300

// Next returns what can be shown after a piece.
func (s *Stream) Next(piece string) string {
	if s.Values == nil {
		return piece
	}
	s.held += piece
	at := len(s.held)
	if begun := unfinished().FindStringIndex(s.held); begun != nil && at-begun[0] < longest {
		at = begun[0]
	}
	text, _ := s.Values.Fill(s.held[:at])
	s.held = s.held[at:]
	return text
}

// Rest returns what was held back.
func (s *Stream) Rest() string {
	if s.held == "" {
		return ""
	}
	text, _ := s.Values.Fill(s.held)
	s.held = ""
	return text
}
