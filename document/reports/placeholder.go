package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/plot"
)

// The kinds of placeholders.
const (
	Value = "value" // one value
	SQL   = "sql"   // rows without a header
	Table = "table" // rows below their names
	Plot  = "plot"  // a picture
)

func kinds() []string { return []string{Value, SQL, Table, Plot} }

// Placeholder is one of a template, and what it asks.
type Placeholder struct {
	Kind      string
	Statement string
	Plot      plot.Kind
	Raw       string // as it is in the template
	At        string // where, for people
	alone     bool   // its paragraph or cell has nothing else
}

var marks = lazyregexp.New(`(?s)\{\{(.*?)\}\}`)

// straight replaces typographic quotes, which programs substitute, by plain ones.
var straight = strings.NewReplacer("‘", "'", "’", "'", "‚", "'", "“", `"`, "”", `"`, "„", `"`, "\u00a0", " ")

// find returns the placeholders of a paragraph or cell.
func find(text, at string) ([]Placeholder, error) {
	var out []Placeholder
	for _, m := range marks().FindAllStringSubmatch(text, -1) {
		p := Placeholder{Raw: m[0], At: at, alone: strings.TrimSpace(text) == m[0]}
		kind, rest, ok := strings.Cut(straight.Replace(m[1]), ":")
		p.Kind, p.Statement = strings.ToLower(strings.TrimSpace(kind)), strings.TrimSpace(rest)
		if !ok || !slices.Contains(kinds(), p.Kind) {
			return nil, p.bad(api.KindUnknownPlaceholder, near(kind), "is not a placeholder: one begins with %s", strings.Join(kinds(), ":, ")+":")
		}
		if p.Kind == Plot {
			word, rest, _ := strings.Cut(p.Statement, " ")
			p.Plot, p.Statement = plot.Kind(strings.ToLower(word)), strings.TrimSpace(rest)
			if !slices.Contains(plot.Kinds, p.Plot) {
				return nil, p.bad(api.KindPlotKind, "", "needs a kind before its statement: %s", plot.KindNames(", "))
			}
		}
		if p.Statement == "" {
			return nil, p.bad(api.KindNoStatement, "", "has no statement")
		}
		if !reads(p.Statement) {
			if strings.HasPrefix(p.Statement, "$") || p.Kind == Value {
				p.Statement = "SELECT " + p.Statement
			} else {
				p.Statement = "FROM " + p.Statement
			}
		}
		out = append(out, p)
	}
	if open := strings.LastIndex(text, "{{"); open >= 0 && !strings.Contains(text[open:], "}}") {
		p := Placeholder{Raw: api.Clip(text[open:], 60), At: at}
		return nil, p.bad(api.KindUnclosed, "A placeholder begins and ends within one paragraph or cell.", "does not end with }}")
	}
	return out, nil
}

// reads reports whether a text is a whole statement, as opposed to a value or the
// name of a table.
func reads(text string) bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(text, "( \t\n")), " ")
	word, _, _ = strings.Cut(word, "\n")
	return slices.Contains([]string{"select", "from", "with", "values", "describe", "summarize", "show", "pivot", "unpivot"}, word)
}

func near(kind string) string {
	if words := suggest.Near(strings.TrimSpace(kind), kinds()); len(words) > 0 {
		return "Did you mean '" + words[0] + "'?"
	}
	return ""
}

// bad is an error of the template, with its place.
func (p Placeholder) bad(kind, hint, format string, args ...any) error {
	return &api.Error{Code: api.CodeValidation, Kind: kind,
		Message: fmt.Sprintf("%s: '%s' %s", p.At, api.Clip(p.Raw, 80), fmt.Sprintf(format, args...)),
		Hint:    hint, Details: map[string]any{"at": p.At, "placeholder": p.Raw}}
}
