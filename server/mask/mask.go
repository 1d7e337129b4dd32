// Package mask replaces the values of columns that a grant masks, in record batches,
// before anything of them leaves the core. It decides nothing about rights.
package mask

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// Mask says what is shown in place of a column's values.
type Mask struct {
	Text     string // as it was written, such as number:1000
	kind     string
	constant string
	unit     string
	step     int64
}

// The kinds of masks.
const (
	null     = "null"
	constant = "constant"
	hash     = "hash"
	last4    = "last4"
	date     = "date"
	number   = "number"
)

// Bounds on what a mask says.
const (
	maxConstant = 100
	maxStep     = 1_000_000_000_000_000
)

// units are the parts of dates that a mask can leave.
var units = []string{"year", "quarter", "month", "week", "day"}

// hidden is what a mask shows of a text that it does not show.
const hidden = "****"

// Null is the mask that shows least.
var Null = Mask{Text: null, kind: null}

// Parse reads a mask.
func Parse(text string) (Mask, error) {
	kind, rest, more := strings.Cut(text, ":")
	m := Mask{Text: text, kind: kind, constant: hidden}
	ok := !more
	switch kind {
	case null, hash, last4:
	case constant:
		if more {
			m.constant = rest
			ok = rest != "" && len(rest) <= maxConstant
		}
	case date:
		m.unit = rest
		ok = slices.Contains(units, rest)
	case number:
		var err error
		m.step, err = strconv.ParseInt(rest, 10, 64)
		ok = err == nil && m.step > 1 && m.step <= maxStep
	default:
		ok = false
	}
	if !ok {
		return m, &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadMask, Message: "there is no mask '" + api.Clip(text, 80) + "'",
			Hint: "Masks are null, constant, constant:TEXT (at most 100 bytes), hash, last4, date:" + strings.Join(units, "|") +
				" and number:STEP, where STEP is a whole number above 1."}
	}
	return m, nil
}

// Reads reports whether the mask needs the column's values.
func (m Mask) Reads() bool { return m.kind != null && m.kind != constant }

// TextOnly reports whether what the mask shows is text, whatever the column holds.
func (m Mask) TextOnly() bool { return m.kind != date && m.kind != number }

// Fits reports whether the mask can be computed from values of a type.
func (m Mask) Fits(t predicate.Type) bool {
	switch m.kind {
	case hash, last4:
		return slices.Contains([]predicate.Kind{predicate.KindString, predicate.KindInt, predicate.KindDate}, t.Kind)
	case date:
		return t.Calendar()
	case number:
		return t.Numeric()
	}
	return true
}

// Caveats say that columns are masked, and how.
func Caveats(masks map[string]string) (all []api.Caveat) {
	for _, column := range slices.Sorted(maps.Keys(masks)) {
		all = append(all, api.Caveat{Kind: api.CaveatHidden, Reason: "mask", About: api.Subject{Columns: []string{column}},
			Text: fmt.Sprintf("column \"%s\" is masked (%s): its values are not those of the table", column, masks[column])})
	}
	return all
}
