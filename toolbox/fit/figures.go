package fit

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/rows/arrowjson"
)

const (
	// mostDistinct and mostDistinctBytes limit what is stored to count the
	// distinct values of a column.
	mostDistinct      = 1000
	mostDistinctBytes = 64 << 10
)

// figures add up the values of one column.
type figures interface {
	// add counts rows [from, until) of arr, which col reads too.
	add(arr arrow.Array, col *arrowjson.Column, from, until int)
	// merge adds the counts of other, which is for the same column.
	merge(other figures)
	// count is the number of rows.
	count() int64
	// uniform reports whether all rows are known to have the same value. same
	// reports whether two uniform figures have the same value.
	uniform() bool
	same(other figures) bool
	// tell returns what is known exactly.
	tell(column string) Figures
}

// figuresOf returns the accumulator for the values of a field.
func figuresOf(field arrow.Field) figures {
	switch k := kindOf(field).(type) {
	case *kind[int64]:
		return newTally(k)
	case *kind[uint64]:
		return newTally(k)
	case *kind[float64]:
		return newTally(k)
	case *kind[string]:
		return newTally(k)
	case *kind[wide]:
		return newTally(k)
	}
	return &nullsOnly{}
}

// nullsOnly is for types whose values have no order.
type nullsOnly struct{ rows, nulls int64 }

func (n *nullsOnly) add(arr arrow.Array, _ *arrowjson.Column, from, until int) {
	n.rows += int64(until - from)
	n.nulls += nullsIn(arr, from, until)
}

func (n *nullsOnly) merge(other figures) {
	o := other.(*nullsOnly)
	n.rows, n.nulls = n.rows+o.rows, n.nulls+o.nulls
}

func (n *nullsOnly) count() int64 { return n.rows }

func (n *nullsOnly) uniform() bool { return n.nulls == n.rows }

func (n *nullsOnly) same(figures) bool { return true } // all NULL

func (n *nullsOnly) tell(column string) Figures { return Figures{Column: column, Nulls: n.nulls} }

func nullsIn(arr arrow.Array, from, until int) int64 {
	if arr.DataType().ID() == arrow.NULL { // it has no bitmap
		return int64(until - from)
	}
	nulls := int64(0)
	if arr.NullN() > 0 {
		for i := from; i < until; i++ {
			if arr.IsNull(i) {
				nulls++
			}
		}
	}
	return nulls
}

// kind says how values of a type are read, ordered and added up.
type kind[T comparable] struct {
	read func(arrow.Array) func(int) T
	less func(a, b T) bool
	// sum starts a sum; nil if values cannot be added.
	sum func() adder[T]
	// keep copies a value so that it survives its batch; nil if that is not
	// necessary.
	keep func(T) T
}

// extreme is a smallest or largest value, and how it is written.
type extreme[T comparable] struct {
	value T
	json  []byte
}

// tally are the figures of values that have an order.
type tally[T comparable] struct {
	*kind[T]
	values, nulls int64
	min, max      extreme[T]
	added         adder[T]
	seen          map[T]struct{} // nil: too many
	seenBytes     int
	nan           bool // a NaN was among the values
}

func newTally[T comparable](k *kind[T]) *tally[T] {
	t := &tally[T]{kind: k, seen: map[T]struct{}{}}
	if k.sum != nil {
		t.added = k.sum()
	}
	return t
}

func (t *tally[T]) add(arr arrow.Array, col *arrowjson.Column, from, until int) {
	value, mayBeNull := t.read(arr), arr.NullN() > 0
	low, high, first := -1, -1, t.values == 0
	var least, most T
	for i := from; i < until; i++ {
		if mayBeNull && arr.IsNull(i) {
			t.nulls++
			continue
		}
		v := value(i)
		t.values++
		if low < 0 || t.less(v, least) {
			low, least = i, v
		}
		if high < 0 || t.less(most, v) {
			high, most = i, v
		}
		if t.added != nil {
			t.added.add(v)
		}
		if t.seen != nil {
			t.see(v)
		}
	}
	if low >= 0 {
		t.offer(t.extremeAt(col, low, least), t.extremeAt(col, high, most), first)
	}
}

// extremeAt stores value i of a batch in written form.
func (t *tally[T]) extremeAt(col *arrowjson.Column, i int, v T) extreme[T] {
	start, kind, cut := col.AppendStart(nil, i, longestExtreme)
	e := extreme[T]{value: v}
	if cut && kind != arrowjson.Number {
		whole, _ := col.AppendText(nil, i)
		e.json = appendCut(nil, start, utf8.RuneCount(whole))
	} else {
		e.json = col.AppendJSON(nil, i)
	}
	if t.keep != nil {
		e.value = t.keep(v)
	}
	return e
}

// offer adds the extremes of further values; first says that there were no values
// before.
func (t *tally[T]) offer(low, high extreme[T], first bool) {
	if first || t.less(low.value, t.min.value) {
		t.min = low
	}
	if first || t.less(t.max.value, high.value) {
		t.max = high
	}
}

// see remembers a value for the count of different ones.
func (t *tally[T]) see(v T) {
	if v != v { //nolint:gocritic // NaN alone differs from itself, and would be new each time
		t.nan = true
		return
	}
	if _, known := t.seen[v]; known {
		return
	}
	if t.keep != nil {
		v = t.keep(v)
	}
	if s, ok := any(v).(string); ok {
		t.seenBytes += len(s)
	}
	t.seen[v] = struct{}{}
	if len(t.seen) > mostDistinct || t.seenBytes > mostDistinctBytes {
		t.seen = nil
	}
}

func (t *tally[T]) merge(other figures) {
	o := other.(*tally[T])
	if o.values > 0 {
		t.offer(o.min, o.max, t.values == 0)
	}
	t.values, t.nulls, t.nan = t.values+o.values, t.nulls+o.nulls, t.nan || o.nan
	if t.added != nil {
		t.added.merge(o.added)
	}
	if o.seen == nil {
		t.seen = nil
	}
	for v := range o.seen {
		if t.seen == nil {
			return
		}
		t.see(v)
	}
}

func (t *tally[T]) count() int64 { return t.values + t.nulls }

func (t *tally[T]) uniform() bool {
	return t.values == 0 || t.nulls == 0 && t.equal(t.min, t.max)
}

func (t *tally[T]) same(other figures) bool {
	o := other.(*tally[T])
	return t.values == 0 && o.values == 0 || t.values > 0 && o.values > 0 && t.equal(t.min, o.min)
}

// equal compares values as they are and as they are written: 0 is not -0.
func (t *tally[T]) equal(a, b extreme[T]) bool {
	return !t.less(a.value, b.value) && !t.less(b.value, a.value) && bytes.Equal(a.json, b.json)
}

func (t *tally[T]) tell(column string) Figures {
	f := Figures{Column: column, Nulls: t.nulls}
	if t.values > 0 {
		f.Min, f.Max = json.RawMessage(t.min.json), json.RawMessage(t.max.json)
		if t.added != nil {
			f.Sum = t.added.json()
		}
	}
	if t.seen != nil {
		n := int64(len(t.seen))
		if t.nan {
			n++
		}
		f.Distinct = &n
	}
	return f
}

func keepText(s string) string { return strings.Clone(s) }
