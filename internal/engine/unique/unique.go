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

// Set looks at values, a batch at a time, until it returns another answer than Once. The
// answer to all of them is that of End.
type Set interface {
	See(values arrow.Array) Answer
	End() Answer
}

// MostHashes is the largest number of rows whose set takes at most 64 MB.
const MostHashes = 1 << 25 / 3

const (
	parts   = 1 << 8 // of the places of hashes: one of 128 kB is in the processor's cache
	waiting = 1 << 8 // hashes of a part that are added together
)

// Hashes is a set of hashes. It keeps 32 bits of each; other bits choose the place.
type Hashes struct {
	Again  uint64   // the hash that came twice, perhaps of two values
	prints []uint32 // 0: free
	part   int      // how far to shift a place for its part
	wait   [parts][waiting]uint64
	waits  [parts]int // how many
	used   int
}

// HashesOf returns a set for that many rows.
func HashesOf(rows int64) *Hashes {
	size := max(bits.Len64(uint64(rows+rows/2)), bits.Len(parts-1))
	return &Hashes{prints: make([]uint32, 1<<size), part: size - bits.Len(parts-1)}
}

// See adds a column of hashes, or of integers that are hashed here. Twice may be two values
// with one hash.
func (s *Hashes) See(column arrow.Array) Answer {
	s.used += column.Len()
	if column.NullN() > 0 || s.used > len(s.prints)/2+len(s.prints)/4 { // more rows than were counted
		return Unknown
	}
	switch values := column.(type) {
	case *array.Uint64:
		for _, h := range values.Uint64Values() {
			if s.add(h) == Twice {
				return Twice
			}
		}
	case *array.Int64:
		for _, v := range values.Int64Values() {
			h := uint64(v) * 0x9e3779b97f4a7c15
			if s.add((h^h>>32)*0xd6e8feb86659fd93) == Twice {
				return Twice
			}
		}
	default:
		return Unknown
	}
	return Once
}

// add lets a hash wait for others of its part.
func (s *Hashes) add(h uint64) Answer {
	part := h >> s.part & (parts - 1)
	n := s.waits[part] & (waiting - 1)
	s.wait[part][n] = h
	s.waits[part] = n + 1
	if n+1 < waiting {
		return Once
	}
	return s.flush(part)
}

// flush adds the hashes of a part that wait.
func (s *Hashes) flush(part uint64) Answer {
	last := uint64(len(s.prints) - 1)
	for _, h := range s.wait[part][:s.waits[part]] {
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
	s.waits[part] = 0
	return Once
}

// End adds all that wait.
func (s *Hashes) End() Answer {
	for part := range uint64(parts) {
		if s.flush(part) == Twice {
			return Twice
		}
	}
	return Once
}

// Spans are the parts of a column in which integers only grow. The parts may come in any order.
type Spans struct {
	gap    int64 // a larger step begins a new part
	all    [][2]int64
	most   int
	hashes func() *Hashes
	mixed  *Hashes // has all values, if they come in no order
}

// SpansOf returns the parts of a column of that many rows between two bounds. If its first
// rows come in no order, a set of hashes takes all, unless that is nil.
func SpansOf(rows, least, most int64, hashes func() *Hashes) *Spans {
	return &Spans{hashes: hashes, gap: max(most/rows-least/rows, 1) << 6, most: int(64 + rows>>6)}
}

// See adds a column of integers.
func (s *Spans) See(column arrow.Array) Answer {
	values, ok := column.(*array.Int64)
	if !ok || column.NullN() > 0 || len(s.all) > s.most {
		return Unknown
	}
	if s.mixed != nil {
		return s.mixed.See(column)
	}
	first := len(s.all) == 0
	for i, v := range values.Int64Values() {
		last := len(s.all) - 1
		switch {
		case i > 0 && v <= s.all[last][1]:
			if first {
				s.mixed = s.hashes()
			}
			if s.mixed == nil {
				return Unknown
			}
			return s.mixed.See(column)
		case i == 0 || v-s.all[last][1] > s.gap:
			s.all = append(s.all, [2]int64{v, v})
		default:
			s.all[last][1] = v
		}
	}
	return Once
}

// End finds out whether no two parts overlap.
func (s *Spans) End() Answer {
	if s.mixed != nil {
		return s.mixed.End()
	}
	slices.SortFunc(s.all, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	for i := range s.all {
		if i > 0 && s.all[i][0] <= s.all[i-1][1] {
			return Unknown
		}
	}
	return Once
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

// End has nothing more to look at.
func (s *Near) End() Answer { return Once }

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
