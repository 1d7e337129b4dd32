package metric

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/statement"
)

// condition is a condition on dimensions, with their names in it.
type condition struct {
	text  string
	items []item
}

// placeholder is a dimension as dbt writes it into filters.
var placeholder = lazyregexp.New(`\{\{\s*(.*?)\s*\}\}`)

// named are the calls that a placeholder may have.
var named = lazyregexp.New(`^(?:Dimension|TimeDimension|Entity)\(\s*'(\w+)'\s*(?:,\s*(?:time_granularity_name\s*=\s*)?'(\w+)'\s*)?(?:,\s*entity_path\s*=\s*\[((?:\s*'\w+'\s*,?)*)\]\s*)?\)(?:\.grain\(\s*'(\w+)'\s*\))?$`)

var word = lazyregexp.New(`\w+`)

// conditions reads a text; parts that are joined by AND become conditions of their
// own. A word that is neither a dimension, a function, nor one of SQL's is refused.
func (b *branch) conditions(text string) ([]condition, error) {
	plain, err := filled(text)
	if err != nil {
		return nil, err
	}
	var parts []condition
	var now condition
	var out strings.Builder
	end := func() {
		now.text = strings.TrimSpace(out.String())
		parts, now = append(parts, now), condition{}
		out.Reset()
	}
	depth, between, cases := 0, 0, 0
	all := statement.Lexemes(plain)
	for i, l := range all {
		upper := strings.ToUpper(l.Text)
		switch {
		case l.Kind == statement.Comment, l.Text == ";", l.Text == "$", l.Text == "?", l.Kind == statement.Text && !closed(l.Text):
			return nil, b.badCondition(text, l.Text)
		case l.Text == "(":
			depth++
		case l.Text == ")":
			if depth--; depth < 0 {
				return nil, b.badCondition(text, ")")
			}
		}
		if l.Kind != statement.Word && l.Kind != statement.Name {
			out.WriteString(l.Text)
			continue
		}
		if at := depth + cases; at == 0 && upper == "AND" && between == 0 {
			end()
			continue
		}
		switch upper {
		case "BETWEEN":
			between++
		case "AND":
			between = max(0, between-1)
		case "CASE":
			cases++
		case "END":
			cases--
		}
		before, after := Beside(all, i, -1), Beside(all, i, 1)
		if l.Kind == statement.Word && (IsSQL(l.Text, before, after) || after.Text == "(" || before.Text == ":") {
			out.WriteString(l.Text)
			continue
		}
		it, err := b.item(strings.Trim(l.Text, `"`))
		var e *api.Error
		if errors.As(err, &e) && e.Kind == api.KindUnknownDimension && slices.Contains(comparisons, strings.ToUpper(before.Text)) {
			e.Hint = strings.TrimSpace(fmt.Sprintf("Write text in single quotes: '%s'. %s", strings.Trim(l.Text, `"`), e.Hint))
		}
		if err != nil {
			return nil, err
		}
		now.items = append(now.items, it)
		out.WriteString(Quote(it.column))
	}
	if depth != 0 {
		return nil, b.badCondition(text, "(")
	}
	end()
	return parts, nil
}

func (b *branch) badCondition(text, at string) error {
	return refuse(fmt.Sprintf("in the condition %q of metric %q, %q is not understood", text, b.asked, at),
		"A condition compares dimensions with values, as in: region = 'North' AND month >= '2024-01-01'.")
}

// closed reports whether a text in quotes has its end.
func closed(text string) bool { return len(text) > 1 && text[len(text)-1] == '\'' }

// filled replaces the placeholders of a filter by the names of dimensions.
func filled(text string) (string, error) {
	var bad error
	out := placeholder().ReplaceAllStringFunc(text, func(p string) string {
		call := placeholder().FindStringSubmatch(p)[1]
		m := named().FindStringSubmatch(call)
		if m == nil {
			bad = refuse(fmt.Sprintf("in the filter %q, %s is not understood", text, call), "")
			return p
		}
		name := m[1]
		path := word().FindAllString(m[3], -1)
		slices.Reverse(path)
		for _, entity := range path {
			name = join(entity, name)
		}
		for _, grain := range []string{m[2], m[4]} {
			if grain != "" {
				name = join(name, strings.ToLower(grain))
			}
		}
		return Quote(name)
	})
	if bad == nil && (strings.Contains(out, "{{") || strings.Contains(out, "{%")) {
		bad = refuse(fmt.Sprintf("the filter %q is not understood", text), "")
	}
	return out, bad
}

// comparisons are operators that a value follows.
var comparisons = strings.Fields(`= <> != < <= > >= LIKE ILIKE`)

// sqlWords may stand in a condition beside dimensions and functions.
var sqlWords = strings.Fields(`AND OR NOT IN IS NULL LIKE ILIKE SIMILAR TO ESCAPE BETWEEN TRUE FALSE CASE WHEN THEN ELSE END CAST AS DISTINCT
	CURRENT_DATE CURRENT_TIMESTAMP VARCHAR TEXT INTEGER INT BIGINT SMALLINT DOUBLE PRECISION DECIMAL NUMERIC REAL FLOAT BOOLEAN`)

// IsSQL reports whether a word belongs to SQL where it stands; before and after are
// what is beside it.
func IsSQL(word string, before, after statement.Lexeme) bool {
	upper := strings.ToUpper(word)
	switch upper {
	case "DATE", "TIMESTAMP", "INTERVAL", "TIME", "TIMESTAMPTZ":
		return after.Kind == statement.Text || after.Kind == statement.Number || strings.EqualFold(before.Text, "AS")
	case "FROM":
		return true
	}
	unit := slices.Contains(grains, strings.TrimSuffix(strings.ToLower(upper), "s"))
	return unit && (strings.EqualFold(after.Text, "FROM") || before.Kind == statement.Number || before.Kind == statement.Text) ||
		slices.Contains(sqlWords, upper)
}

// Beside returns the next lexeme in a direction that is not space.
func Beside(all []statement.Lexeme, i, step int) statement.Lexeme {
	for i += step; i >= 0 && i < len(all); i += step {
		if all[i].Kind != statement.Space {
			return all[i]
		}
	}
	return statement.Lexeme{}
}

// substitute puts the expressions of inputs in place of their names.
func substitute(text string, names, exprs []string) (string, error) {
	var out strings.Builder
	all := statement.Lexemes(text)
	for i, l := range all {
		at := slices.Index(names, strings.Trim(l.Text, `"`))
		switch {
		case l.Kind == statement.Comment || l.Text == ";" || strings.Contains(l.Text, "{"):
			return "", refuse(fmt.Sprintf("in the expression %q, %q is not understood", text, l.Text), "")
		case (l.Kind == statement.Word || l.Kind == statement.Name) && at >= 0 && Beside(all, i, 1).Text != "(":
			out.WriteString("(" + exprs[at] + ")")
		default:
			out.WriteString(l.Text)
		}
	}
	return out.String(), nil
}

// Mentions reports whether an expression may read one of the columns.
func Mentions(expr string, columns []string) bool {
	for _, l := range statement.Lexemes(expr) {
		name := nameOf(l)
		if l.Text == "*" && len(columns) > 0 && strings.Contains(strings.ToUpper(expr), "COLUMNS") {
			return true
		}
		if slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, name) }) {
			return true
		}
	}
	return false
}

// nameOf is the text of a lexeme; of a name in quotes, without them.
func nameOf(l statement.Lexeme) string {
	if l.Kind != statement.Name {
		return l.Text
	}
	quote := l.Text[:1]
	return strings.ReplaceAll(strings.TrimSuffix(l.Text[1:], quote), quote+quote, quote)
}
