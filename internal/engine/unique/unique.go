// Package unique finds out whether a value occurs twice, in bounded memory. Its callers read
// the rows, and pass them to a set.
package unique

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Answer is what is known of values.
type Answer int

// The answers.
const (
	Unknown Answer = iota
	Once           // all differ so far
	Twice          // one occurs twice
)

// Set looks at values, a batch at a time, until it returns another answer than Once.
type Set interface {
	See(values arrow.Array) Answer
}

// MostHashes is the largest number of rows whose set takes at most 64 MB.
const MostHashes = 1 << 25 / 3

// Hashes is a set of hashes. It keeps 32 bits of each; other bits choose the place.
type Hashes struct {
	Again  uint64   // the hash that came twice, perhaps of two values
	prints []uint32 // 0: free
	used   int
}

// HashesOf returns a set for that many rows.
func HashesOf(rows int64) *Hashes {
	return &Hashes{prints: make([]uint32, 1<<bits.Len64(uint64(rows+rows/2)))}
}

// See adds a column of hashes.
func (s *Hashes) See(column arrow.Array) Answer {
	values, ok := column.(*array.Uint64)
	if !ok {
		return Unknown
	}
	last := uint64(len(s.prints) - 1)
	if s.used += values.Len(); s.used > len(s.prints)/2+len(s.prints)/4 { // more rows than were counted
		return Unknown
	}
	for _, h := range values.Uint64Values() {
		at, print := h&last, max(uint32(h>>32), 1)
		for s.prints[at] != 0 {
			if s.prints[at] == print {
				s.Again = h
				return Twice
			}
			at = (at + 1) & last
		}
		s.prints[at] = print
	}
	return Once
}

// Spans are the parts of a column in which integers only grow. The parts may come in any order.
type Spans struct {
	gap  int64 // a larger step begins a new part
	all  [][2]int64
	most int
}

// SpansOf returns the parts of a column of that many rows between two bounds.
func SpansOf(rows, least, most int64) *Spans {
	return &Spans{gap: max(most/rows-least/rows, 1) << 6, most: int(64 + rows>>6)}
}

// See adds a column of integers.
func (s *Spans) See(column arrow.Array) Answer {
	values, ok := column.(*array.Int64)
	if !ok || column.NullN() > 0 || len(s.all) > s.most {
		return Unknown
	}
	for i, v := range values.Int64Values() {
		last := len(s.all) - 1
		switch {
		case i > 0 && v <= s.all[last][1]:
			return Unknown
		case i == 0 || v-s.all[last][1] > s.gap:
			s.all = append(s.all, [2]int64{v, v})
		default:
			s.all[last][1] = v
		}
	}
	return Once
}

// Apart reports whether no two parts overlap.
func (s *Spans) Apart() bool {
	slices.SortFunc(s.all, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	for i := range s.all {
		if i > 0 && s.all[i][0] <= s.all[i-1][1] {
			return false
		}
	}
	return true
}

// mostPages are 32 MB, whatever the number of rows.
const mostPages = 1 << 12

// Near has a bit for each of integers that lie near each other.
type Near struct {
	pages  map[int64]*[1 << 10]uint64
	page   *[1 << 10]uint64 // of the value before
	number int64
	rows   int
}

// NearOf returns a set for at least that many rows.
func NearOf(rows int64) *Near { return &Near{pages: map[int64]*[1 << 10]uint64{}, rows: int(rows)} }

// See adds a column of integers.
func (s *Near) See(column arrow.Array) Answer {
	if column.NullN() > 0 {
		return Unknown
	}
	switch values := column.(type) {
	case *array.Int64:
		return add(s, values.Int64Values())
	case *array.Int32:
		return add(s, values.Int32Values())
	case *array.Date32:
		return add(s, values.Date32Values())
	}
	return Unknown
}

// add sets the bits of values.
func add[T ~int64 | ~int32](s *Near, values []T) Answer {
	for _, value := range values {
		v := int64(value)
		if number := v >> 16; s.page == nil || number != s.number {
			if s.number, s.page = number, s.pages[number]; s.page == nil {
				if len(s.pages) > min(64+s.rows>>10, mostPages) { // they take more room than the values
					return Unknown
				}
				s.page = new([1 << 10]uint64)
				s.pages[number] = s.page
			}
		}
		word, bit := &s.page[v>>6&(1<<10-1)], uint64(1)<<(v&63)
		if *word&bit != 0 {
			return Twice
		}
		*word |= bit
	}
	s.rows += len(values)
	return Once
}
