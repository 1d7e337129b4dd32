package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// Caveat is something that the reader of a result must know to read it rightly:
// that rows are missing, that a header was guessed, that formulas are old. It
// travels with the rows from their source to the reader.
type Caveat struct {
	Kind CaveatKind `json:"kind"`
	// Text is one sentence without a full stop that says all the rest for people.
	Text string `json:"text"`
	// About says what it is true of.
	About Subject `json:"about,omitzero"`
	// Count says how many rows, cells or columns are concerned; nil: unknown.
	Count *Count `json:"count,omitempty"`
	// Reason is what caused it, for programs: the key of a limit, the name of a
	// rule, the value that was guessed. May be empty.
	Reason string `json:"reason,omitempty"`
	// Next are the steps that follow. A door words them in its own way.
	Next []Step `json:"next,omitempty"`
}

// Subject is the thing that a caveat is about. All fields may be empty.
type Subject struct {
	Table    string `json:"table,omitempty"`    // of the catalog
	Snapshot string `json:"snapshot,omitempty"` // or a synced table or a kept result, by its name
	File     string `json:"file,omitempty"`
	Sheet    string `json:"sheet,omitempty"`
	// Columns are the only columns that are concerned; empty: all, or the rows.
	Columns []string `json:"columns,omitempty"`
}

// Count is a number of things.
type Count struct {
	N       int64  `json:"n"`
	AtLeast bool   `json:"at_least,omitempty"` // N is a lower bound
	Of      string `json:"of"`                 // rows, cells, columns, lines, pages, sheets, files or bytes
}

// CaveatKind is one of a closed list; see CaveatKinds.
type CaveatKind string

// The kinds of caveats. The order of CaveatKinds is that of their weight.
const (
	CaveatCut          CaveatKind = "cut"
	CaveatNotTheTable  CaveatKind = "not_the_table"
	CaveatStale        CaveatKind = "stale"
	CaveatUncalculated CaveatKind = "uncalculated"
	CaveatUnread       CaveatKind = "unread"
	CaveatMultiplied   CaveatKind = "multiplied"
	CaveatSummed       CaveatKind = "summed"
	CaveatNarrowed     CaveatKind = "narrowed"
	CaveatHidden       CaveatKind = "hidden"
	CaveatGuessed      CaveatKind = "guessed"
	CaveatApproximate  CaveatKind = "approximate"
	CaveatChanged      CaveatKind = "changed"
	CaveatRenamed      CaveatKind = "renamed"
	CaveatUnordered    CaveatKind = "unordered"
	CaveatOther        CaveatKind = "other"
)

// KindOfCaveat documents a kind.
type KindOfCaveat struct {
	Kind    CaveatKind
	Means   string // what is the matter with the rows
	Example string // a text of this kind
}

// CaveatKinds lists the kinds, the most serious first.
func CaveatKinds() []KindOfCaveat {
	return []KindOfCaveat{
		{CaveatCut, "Rows are missing at the end: a limit of the server, a quota, a size or a time stopped the result.",
			"only the first 12 rows are here: api.scan.max_result_bytes stopped the result"},
		{CaveatNotTheTable, "The rows come from something that has the table's name and is only a part of it.",
			"'flights' is not the whole table: the snapshot of that name has the rows where month = 2"},
		{CaveatStale, "The rows are older than what was asked for, or their source has changed since.", "snapshot 'late' is 9 days old"},
		{CaveatUncalculated, "Values of formulas are missing, or older than the cells that they depend on.",
			"5 formulas in column \"total\" have values that may be wrong"},
		{CaveatUnread, "Cells, rows or parts of the source were passed over, or were kept as null or text.",
			"3 rows have too few fields: the missing ones are null"},
		{CaveatMultiplied, "A join repeats rows, so sums and counts over them are too large.", "each row of 'orders' appears 2.4 times"},
		{CaveatSummed, "A row of totals stands among the data, so sums count it twice.",
			"1 row has a word for a sum, the first in line 5: \"Total\""},
		{CaveatNarrowed, "Values lost precision or their type: digits, nanoseconds, decimals as text or float.",
			"column \"at\" is read to the microsecond: nanoseconds in the file are cut off"},
		{CaveatHidden, "Rows, sheets or columns exist that the reader does not see: a filter, a hidden sheet, a row rule.",
			"a rule limits which rows you may read here; there may be rows that do not show"},
		{CaveatGuessed, "The dialect, header, encoding, type, order of day and month, century, or text of a picture was inferred and could be wrong.",
			"line 1 was taken for the names of the columns, and may be data"},
		{CaveatApproximate, "Figures are estimates or come from a sample.", "distinct counts are approximate"},
		{CaveatChanged, "The table's columns, types or order of day and month are no longer those that the rows came with.",
			"columns have other types now: 'wage' was DOUBLE and is DECIMAL(18,2)"},
		{CaveatRenamed, "Columns have other names than at their source.",
			"column names that occur more than once were made unique: 'a' is 'a_2'"},
		{CaveatUnordered, "The order of the rows means nothing, although only some are shown.",
			"the query has no ORDER BY: the order of its rows is arbitrary"},
		{CaveatOther, "The rows are whole and right; something beside them is worth knowing.", "the whole result is not kept: the disk is full"},
	}
}

// StrictKinds are the kinds that --strict without a list refuses.
func StrictKinds() []CaveatKind {
	return []CaveatKind{CaveatCut, CaveatStale, CaveatUnread, CaveatUncalculated}
}

// weight orders kinds, the most serious first. Kinds that a newer program sends
// come last.
func (k CaveatKind) weight() int {
	for i, known := range CaveatKinds() {
		if known.Kind == k {
			return i
		}
	}
	return len(CaveatKinds())
}

// ParseCaveatKinds reads a list of kinds with commas between them; it fails with
// CodeUsage for an unknown one.
func ParseCaveatKinds(text string) ([]CaveatKind, error) {
	var kinds []CaveatKind
	for _, word := range strings.Split(text, ",") {
		k := CaveatKind(strings.TrimSpace(word))
		if k.weight() == len(CaveatKinds()) {
			var names []string
			for _, known := range CaveatKinds() {
				names = append(names, string(known.Kind))
			}
			return nil, &Error{Code: CodeUsage, Message: fmt.Sprintf("there is no kind of caveat %q; the kinds are %s", Clip(word, 60),
				strings.Join(names, ", "))}
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}

// NewCaveat returns a caveat with that text.
func NewCaveat(kind CaveatKind, format string, args ...any) Caveat {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return Caveat{Kind: kind, Text: format}
}

// CaveatsOf returns texts as caveats of one kind.
func CaveatsOf(kind CaveatKind, texts ...string) []Caveat {
	out := make([]Caveat, len(texts))
	for i, text := range texts {
		out[i] = Caveat{Kind: kind, Text: text}
	}
	return out
}

// Texts returns the texts of caveats, without their steps.
func Texts(caveats []Caveat) []string {
	texts := make([]string, len(caveats))
	for i, c := range caveats {
		texts[i] = c.Text
	}
	return texts
}

// CaveatList is the part of a report that tells caveats.
type CaveatList struct {
	Caveats []Caveat `json:"caveats,omitempty"`
}

// Tell adds a caveat, unless it is there: then what they count is added up.
func (l *CaveatList) Tell(c Caveat) {
	i := slices.IndexFunc(l.Caveats, c.same)
	if i < 0 {
		l.Caveats = append(l.Caveats, c)
	} else if had := l.Caveats[i].Count; had != nil && c.Count != nil {
		l.Caveats[i].Count = &Count{N: had.N + c.Count.N, AtLeast: had.AtLeast || c.Count.AtLeast, Of: had.Of}
	}
}

// Told returns the caveats, each about the file unless it names another one.
func (l *CaveatList) Told(file string) []Caveat { return AboutFile(file, l.Caveats) }

// AboutFile returns caveats, each about the file unless it names another one.
func AboutFile(file string, caveats []Caveat) []Caveat {
	out := slices.Clone(caveats)
	for i := range out {
		out[i].About.File = cmp.Or(out[i].About.File, file)
	}
	return out
}

// Arranged returns caveats without repetitions, the most serious first, never
// nil. Those of one kind stay in their order.
func Arranged(caveats []Caveat) []Caveat {
	out := make([]Caveat, 0, len(caveats))
	for _, c := range caveats {
		if !slices.ContainsFunc(out, c.same) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Caveat) int { return cmp.Compare(a.Kind.weight(), b.Kind.weight()) })
	return out
}

// Bounds on what one side of a stream can say. It may come from a server that lies.
const (
	maxCaveats    = 1000 // they are compared pair by pair
	maxCaveatText = 1000 // characters
)

// bounded returns the first caveats of a stream, and one more that counts the rest.
// It drops their steps: what to do next is not for another machine to say.
func bounded(caveats []Caveat) []Caveat {
	more := len(caveats) - maxCaveats
	caveats = slices.Clone(caveats[:min(len(caveats), maxCaveats)])
	for i := range caveats {
		c := &caveats[i]
		c.Text, c.Next = Clip(c.Text, maxCaveatText), nil
	}
	if more > 0 {
		caveats = append(caveats, NewCaveat(CaveatOther, "%d more caveats are not shown", more))
	}
	return caveats
}

// Refused returns an error about the first caveat of one of the kinds, or nil. It
// is how --strict turns caveats into a failure; nothing may be kept then.
func Refused(caveats []Caveat, kinds []CaveatKind) error {
	for _, c := range Arranged(caveats) {
		if slices.Contains(kinds, c.Kind) {
			return &Error{Code: CodeRefusedCaveat, Kind: string(c.Kind), Message: c.Text,
				Hint: "Nothing was kept, because a strict call refuses this.",
				Next: append(slices.Clone(c.Next), Unset(OptionStrict, "accept it")), Details: map[string]any{"caveat": c}}
		}
	}
	return nil
}

// Rows are record batches together with the caveats about them. Whatever shows,
// writes or sends rows takes this type, so that none can lose the caveats.
type Rows interface {
	array.RecordReader
	// Caveats returns what is known so far. It is complete once Next has returned
	// false.
	Caveats() []Caveat
}

// WithCaveats returns rows with what caveats returns whenever it is called; nil
// means none. The result owns what rows owned.
func WithCaveats(rows array.RecordReader, caveats func() []Caveat) Rows {
	return &rowsWithCaveats{rows, caveats}
}

type rowsWithCaveats struct {
	array.RecordReader
	caveats func() []Caveat
}

// Caveats implements Rows.
func (t *rowsWithCaveats) Caveats() []Caveat {
	if t.caveats == nil {
		return nil
	}
	return t.caveats()
}

// CaveatsAbout returns the caveats that concern one of the columns, regardless of
// case, or no column in particular.
func CaveatsAbout(columns []string, caveats []Caveat) []Caveat {
	return slices.DeleteFunc(slices.Clone(caveats), func(c Caveat) bool {
		return len(c.About.Columns) > 0 && !slices.ContainsFunc(c.About.Columns, func(about string) bool {
			return slices.ContainsFunc(columns, func(read string) bool { return strings.EqualFold(about, read) })
		})
	})
}

// String returns the text.
func (c Caveat) String() string { return c.Text }

// Demand returns rows that end with an error if their caveats include one of the
// kinds; see Refused. Without kinds it returns the rows.
func Demand(rows Rows, kinds []CaveatKind) Rows {
	if len(kinds) == 0 {
		return rows
	}
	return &demanding{Rows: rows, kinds: kinds}
}

type demanding struct {
	Rows
	kinds []CaveatKind
	err   error
}

// Next implements array.RecordReader.
func (d *demanding) Next() bool {
	if d.Rows.Next() {
		return true
	}
	if d.Rows.Err() == nil {
		d.err = Refused(d.Caveats(), d.kinds)
	}
	return false
}

// Err implements array.RecordReader.
func (d *demanding) Err() error { return cmp.Or(d.Rows.Err(), d.err) }

// Without returns the caveats that are not among known.
func Without(caveats, known []Caveat) []Caveat {
	return slices.DeleteFunc(slices.Clone(caveats), func(c Caveat) bool {
		return slices.ContainsFunc(known, func(k Caveat) bool { return k.same(c) })
	})
}

func (c Caveat) same(d Caveat) bool { return c.Kind == d.Kind && c.Text == d.Text }
