package receipt

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/numerals"
)

// workOut says of figures in no result how they follow from two others of their line
// that are in results: as a sum, a difference or a percentage. found says where each of
// all was found.
func workOut(all []stated, found []Figure) {
	for i, s := range all {
		if f := &found[i]; len(f.Calls) == 0 && f.Asked == "" && s.isNumber() {
			f.WorkedOut = s.follows(all, found)
		}
	}
}

// follows is the sum that gives the figure; "" if there is none.
func (s stated) follows(all []stated, found []Figure) string {
	for i, a := range all {
		for j, b := range all {
			if i == j || a.line != s.line || b.line != s.line || len(found[i].Calls) == 0 || len(found[j].Calls) == 0 || a.text == b.text {
				continue
			}
			x, isX := a.value()
			y, isY := b.value()
			if !isX || !isY {
				continue
			}
			switch percent := slices.Contains(numerals.Factors(s.behind), 0.01); {
			case percent && y != 0 && s.is(100*x/y):
				return a.text + " / " + b.text
			case percent:
			case x > y && s.is(x-y):
				return a.text + " - " + b.text
			case i < j && s.is(x+y):
				return a.text + " + " + b.text
			}
		}
	}
	return ""
}

// value is the number that the figure means, with the marks between its digits taken
// for groups where they can be.
func (s stated) value() (x float64, ok bool) {
	readings := numerals.Readings(s.text)
	if !s.isNumber() || len(readings) == 0 {
		return 0, false
	}
	return readings[len(readings)-1].Value, true
}

func (s stated) isNumber() bool { return s.date() == "" && !strings.Contains(s.text, ":") }

// is reports whether the figure is x, to the precision at which it is written.
func (s stated) is(x float64) bool {
	return slices.ContainsFunc(numerals.Readings(s.text), func(r numerals.Reading) bool { return r.Holds(x, 1) })
}
