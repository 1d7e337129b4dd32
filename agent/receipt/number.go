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
// written. Digits alone prove little: a percentage is one of a share, and a figure of
// one or two digits that many numbers round to is of a row or a column that is named
// beside it.
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
	if !holds || n.prose || n.alone || percent && n.share {
		return holds
	}
	written := digits(s.text)
	return written > 2 || digits(strconv.FormatFloat(n.value, 'f', -1, 64)) < written+vague || n.namedIn(s)
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

// namedIn reports whether the text around a figure names the number's column, or another
// value of its row.
func (n number) namedIn(s stated) bool {
	parts := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	around := parts(s.around)
	for _, word := range parts(n.of) {
		if len(word) > 2 && slices.ContainsFunc(around, func(w string) bool {
			return strings.HasPrefix(w, word) || slices.Contains(averages, word) && slices.Contains(averages, w)
		}) {
			return true
		}
	}
	for _, value := range n.row {
		var words []string
		switch value := value.(type) {
		case string:
			words = parts(value)
		case json.Number:
			if f, err := value.Float64(); err == nil && f != n.value {
				words = parts(value.String())
			}
		}
		if len(words) > 0 && strings.Contains(" "+strings.Join(around, " ")+" ", " "+strings.Join(words, " ")+" ") {
			return true
		}
	}
	return false
}
