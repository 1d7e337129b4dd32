package receipt

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/numerals"
)

// number is a number of a result, and what tells of what it is.
type number struct {
	value float64
	of    string // column
	row   []any  // its values; of an object, all that it has
	rows  []any  // of the result that it is of
	share bool   // its column is of percentages or fractions
	alone bool   // there is no other row that a figure could be of
	prose bool   // a text has it, which says itself of what
}

// shareName matches the names of columns of percentages and fractions.
var shareName = lazyregexp.New(`(?i)%|(?:^|[^a-z])(?:percent|pct|perc|share|rate|ratio|fraction|proportion|growth|prozent|anteil)` +
	`|(?-i:[a-z](?:Percent|Pct|Share|Rate|Ratio|Fraction))`)

// isShare reports whether a column is of percentages or fractions: its name says so, or
// a statement, in lower case, multiplies by 100 what it calls by this name.
func isShare(column, statement string) bool {
	if shareName().MatchString(column) {
		return true
	}
	for _, name := range []string{" as " + strings.ToLower(column), ` as \"` + strings.ToLower(column)} {
		before, _, found := strings.Cut(statement, name)
		from := max(strings.LastIndex(before, " as "), strings.LastIndex(before, "select"), 0)
		if found && column != "" && strings.Contains(before[from:], "100") {
			return true
		}
	}
	return false
}

// vague is by how many digits a number may be more exact than a short figure that it
// proves by its digits alone.
const vague = 3

// proves reports whether the figure is the number, to the precision at which it is
// written. Digits alone prove little: a percentage is one of a share, a line that names
// one row is not of another, and a figure of one or two digits that many numbers round to
// is of a row or a column that is named beside it. A whole number of so few digits can as
// well count something: it is of a fraction if its line names the row, and the text
// around it the column.
func (n number) proves(s stated) bool {
	factors := numerals.Factors(s.behind)
	percent := slices.Contains(factors, 0.01)
	if percent && !n.prose && !n.share {
		if math.Abs(n.value) > 1 {
			return false
		}
		factors = []float64{0.01}
	}
	holds := slices.ContainsFunc(numerals.Readings(s.text), func(r numerals.Reading) bool {
		return slices.ContainsFunc(factors, func(factor float64) bool { return r.Holds(n.value, factor) })
	})
	if !holds || n.prose {
		return holds
	}
	written := digits(s.text)
	if !percent && written <= 2 && !strings.ContainsAny(s.text, ".,") && n.value != math.Trunc(n.value) && math.Abs(n.value) < 100 {
		return (n.alone || n.rowIn(s.said)) && n.columnIn(s.around)
	}
	switch {
	case n.ofAnother(s.said):
		return false
	case n.alone || percent && n.share:
		return true
	}
	return written > 2 || digits(strconv.FormatFloat(n.value, 'f', -1, 64)) < written+vague || n.columnIn(s.around) || n.rowIn(s.around)
}

// digits counts the significant digits of a number.
func digits(number string) int {
	return len(strings.Trim(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, number), "0"))
}

// averages are words for one thing.
var averages = []string{"average", "avg", "mean"}

// words are the words of a text, between blanks, to be found in another.
func words(text string) string {
	return " " + strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ") + " "
}

// columnIn reports whether a text names the number's column.
func (n number) columnIn(text string) bool {
	said := strings.Fields(words(strings.ToLower(text)))
	return slices.ContainsFunc(strings.Fields(words(strings.ToLower(n.of))), func(word string) bool {
		return len(word) > 2 && slices.ContainsFunc(said, func(w string) bool {
			return strings.HasPrefix(w, word) || slices.Contains(averages, word) && slices.Contains(averages, w)
		})
	})
}

// rowIn reports whether a text names another value of the number's row.
func (n number) rowIn(text string) bool {
	said := words(strings.ToLower(text))
	return slices.ContainsFunc(n.row, func(value any) bool {
		name, _ := value.(string)
		if figure, is := value.(json.Number); is {
			if f, err := figure.Float64(); err == nil && f != n.value {
				name = figure.String()
			}
		}
		name = words(strings.ToLower(name))
		return name != "  " && strings.Contains(said, name)
	})
}

// ofAnother reports whether a text names a row of the result by a text of it, and not the
// number's own. Capitals count: IN can be Indiana, and in is a word.
func (n number) ofAnother(text string) bool {
	if n.rowIn(text) {
		return false
	}
	said := words(text)
	for _, row := range n.rows {
		values, _ := row.([]any)
		for i, value := range values {
			name, _ := value.(string)
			if i >= len(n.row) || len(name) < 2 || words(name) == "  " {
				continue
			}
			if own, _ := n.row[i].(string); own != name && strings.Contains(said, words(name)) {
				return true
			}
		}
	}
	return false
}
