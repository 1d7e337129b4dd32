package infer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agnes-data/da/internal/words/humanize"
)

// Type is the type of a column, in the words that users see.
type Type string

// The types of columns.
const (
	Integer     Type = "integer"
	Decimal     Type = "decimal"
	Float       Type = "float"
	Boolean     Type = "boolean"
	String      Type = "string"
	Date        Type = "date"
	Time        Type = "time"
	Timestamp   Type = "timestamp"
	TimestampTZ Type = "timestamptz"
	JSON        Type = "json"
)

// Decision is the type that was chosen for a column.
type Decision struct {
	Type Type
	// Precision and Scale are those of a decimal. An integer has Precision 18 if
	// it fits 64 bits, otherwise 38.
	Precision, Scale int
	Format           NumberFormat // for numbers
	Currency         string       // the currency mark of all amounts, if any
	Order            DateOrder    // for dates and timestamps
	Compact          bool         // dates are eight digits, as 20240131
	NullWords        []string     // words for a missing value
	NullCells        int64        // cells with such a word
	Nulls            int64        // cells without a value
	NonNull          int64
	// Failed counts the missing values that are errors of formulas, as #REF!; FailedAt is
	// the first of them.
	Failed   int64
	FailedAt CellRef
	// Ambiguous says in a sentence how else the cells could be interpreted; may
	// be empty.
	Ambiguous string
	// Other is how else the numbers may be written; 0 if there is no doubt. Three
	// digits follow every mark, which one of the two takes for groups.
	Other NumberFormat
	// Note says how cells were interpreted that other readers may interpret
	// differently; may be empty.
	Note string
	// NoteAt is a cell that shows why there is a note; may be empty.
	NoteAt CellRef
	// Near is the type of all but a few cells, if the column is text because of
	// these few.
	Near *Near
}

// Near says why a column is text although most of its cells are not.
type Near struct {
	Type   Type
	Misfit int64     // cells that do not have the type
	Places []CellRef // the first of them
}

// Hints are facts about the file's author that other columns prove.
type Hints struct {
	DecimalComma bool
	// DecimalDot is set if some column has fractions behind a dot.
	DecimalDot bool
	// DayFirst and MonthFirst are set if some column can only be read so.
	DayFirst, MonthFirst bool
	// Order overrides the order of dates, if not 0.
	Order DateOrder
	// Compact says that dates are eight digits.
	Compact bool
	// NullWords are words for a missing value among the numbers and dates.
	NullWords []string
}

// GatherHints looks for columns that can be read in one way only.
func GatherHints(cols []*Column) Hints {
	var h Hints
	for _, c := range cols {
		if c.counts[kindText] > 0 {
			continue
		}
		if c.counts[kindNumber]+c.counts[kindDate]+c.counts[kindStamp] > 0 {
			h.NullWords = append(h.NullWords, c.tokens...)
		}
		if c.counts[kindNumber] > 0 && c.formats != 0 && c.formats&^commaFormats == 0 {
			h.DecimalComma = true
		}
		h.DecimalDot = h.DecimalDot || c.counts[kindNumber] > 0 && c.formats&commaFormats == 0 && c.fracDot
		if c.counts[kindDate]+c.counts[kindStamp] > 0 {
			h.DayFirst = h.DayFirst || c.orders == DMY
			h.MonthFirst = h.MonthFirst || c.orders == MDY
		}
	}
	return h
}

// Decide judges the evidence gathered so far.
func (c *Column) Decide(h Hints) Decision {
	d := c.family(h)
	if d.Type == String {
		d.NullWords = nil
		d.Nulls = c.counts[kindEmpty]
		if len(c.tokens) == 1 && c.failed == 0 && slices.Contains(h.NullWords, c.tokens[0]) && d.Note == "" && d.Near == nil {
			d.Note = fmt.Sprintf("'%s' is kept as text in %s, though it stands for a missing value in other columns", c.tokens[0],
				humanize.Plural(c.counts[kindToken], "cell", "cells"))
			d.NoteAt = c.places[kindToken][0]
		}
	} else {
		d.Nulls = c.counts[kindEmpty] + c.counts[kindBlank] + c.counts[kindToken]
		d.NullWords, d.NullCells = append([]string(nil), c.tokens...), c.counts[kindToken]-c.nans-c.failed
		d.Failed, d.FailedAt = c.failed, c.firstBad
		if d.Type == Float && c.nans > 0 {
			d.Nulls -= c.nans
			d.NullWords = slices.DeleteFunc(d.NullWords, func(t string) bool { return isNaN([]byte(t)) })
		}
	}
	d.NonNull = c.Cells - d.Nulls
	return d
}

// family determines the type that all cells have. If some cells have another
// type, the column is text, and Near says which type most cells have.
func (c *Column) family(h Hints) Decision {
	n := &c.counts
	values := n[kindNumber] + n[kindInfinite] + n[kindBool] + n[kindDate] + n[kindStamp] + n[kindTime] + n[kindJSON] + n[kindText]
	var d Decision
	var fits int64
	switch {
	case n[kindNumber] > 0 && (n[kindNumber]+n[kindInfinite])*2 > values:
		d, fits = c.decideNumber(h), n[kindNumber]+n[kindInfinite]
	case (n[kindDate]+n[kindStamp])*2 > values:
		d, fits = c.decideDate(h), n[kindDate]+n[kindStamp]
	case n[kindBool]*2 > values:
		d, fits = c.decideBool(), n[kindBool]
	case n[kindTime]*2 > values:
		d, fits = Decision{Type: Time}, n[kindTime]
	case n[kindJSON]*2 > values:
		d, fits = Decision{Type: JSON}, n[kindJSON]
	case c.odd&oddFine != 0:
		return Decision{Type: String, Note: "no timestamp keeps more than six decimals of a second: its times are text"}
	case c.odd&oddPercent != 0:
		return Decision{Type: String, Note: "numbers with a percent sign are text; replace(rtrim(x, ' %'), ',', '.')::DOUBLE in a statement computes with them"}
	default:
		return Decision{Type: String}
	}
	if fits == values && d.Near == nil {
		return d
	}
	near := Near{Type: d.Type}
	if d.Near != nil {
		near = *d.Near
	}
	near.Misfit += values - fits
	if near.Misfit == c.codes && c.codeLen == c.MaxLen {
		return Decision{Type: String} // codes of equal length, which some zeros fill: no mistakes
	}
	near.Places = c.misfits(near)
	if d.Type == Date || d.Type == Timestamp || d.Type == TimestampTZ {
		d.Note = "" // nothing is read as a date
	}
	if !Few(near.Misfit, values) {
		return Decision{Type: String, Note: d.Note}
	}
	return Decision{Type: String, Near: &near}
}

// decideBool decides booleans, which all have to be written in one way.
func (c *Column) decideBool() Decision {
	if len(c.bools) < 2 {
		return Decision{Type: Boolean}
	}
	d := mixedText(Boolean, c.bools, c.bools.commonest())
	d.Note = "true or false and yes or no are mixed: the column is text"
	return d
}

// Few reports whether so few of the cells lack the type of the others that they
// look like mistakes.
func Few(misfits, cells int64) bool {
	return misfits*10 <= cells || misfits <= 2 && misfits*4 <= cells
}

// misfits collects the first cells that lack the type.
func (c *Column) misfits(near Near) []CellRef {
	out, t := near.Places, near.Type
	for k := kindNumber; k < numKinds; k++ {
		switch {
		case (k == kindNumber || k == kindInfinite) && (t == Integer || t == Decimal || t == Float):
		case (k == kindDate || k == kindStamp) && (t == Date || t == Timestamp || t == TimestampTZ):
		case k == kindBool && t == Boolean, k == kindTime && t == Time, k == kindJSON && t == JSON:
		default:
			out = append(out, c.places[k]...)
		}
	}
	slices.SortStableFunc(out, func(a, b CellRef) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return out[:min(len(out), maxPlaces)]
}

// mixedText is a text column, because some cells cannot be parsed like the others.
func mixedText(t Type, w ways, reading uint8) Decision {
	n, places := w.without(reading)
	return Decision{Type: String, Near: &Near{Type: t, Misfit: n, Places: places}}
}
