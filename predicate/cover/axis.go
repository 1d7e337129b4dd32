package cover

import (
	"slices"
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
)

// axis is one column, or one opaque test, with its cells. A column with n points
// has, from 0: the values below the first point, the point, the values between it
// and the next one, and so on up to the values above the last one; then NULL and,
// for GoogleSQL's floats, NaN. A test has TRUE, FALSE and NULL.
type axis struct {
	column predicate.Type
	points []interval.Point
	// whole says that the column is not divided, because its constants have no
	// certain order or are too many. Only NULL is distinguished from other
	// values.
	whole bool
	size  int
	all   cells // the cells that can contain a value
}

// maxPoints bounds the constants of one column.
const maxPoints = 4096

// The cells of a test.
const (
	cellTrue = iota
	cellFalse
	cellNull
	testCells
)

func testAxis() *axis {
	a := &axis{size: testCells, all: newCells(testCells)}
	a.all.addRange(0, testCells)
	return a
}

// cut orders the points and makes the cells.
func (a *axis) cut(d predicate.Dialect) {
	if a.column.Kind == predicate.KindBool {
		a.points = []interval.Point{interval.Truth(false), interval.Truth(true)}
	}
	slices.SortFunc(a.points, func(p, q interval.Point) int { order, _ := p.Compare(q); return order })
	a.points = slices.CompactFunc(a.points, func(p, q interval.Point) bool { order, _ := p.Compare(q); return order == 0 })
	a.whole = len(a.points) > maxPoints
	for i := 1; i < len(a.points) && !a.whole; i++ {
		_, sure := a.points[i-1].Compare(a.points[i])
		a.whole = !sure
	}
	if a.whole {
		a.points = nil
	}
	a.size = 2*len(a.points) + 2
	if a.column.Kind == predicate.KindFloat && !predicate.OrdersNaN(d) {
		a.size++ // elsewhere NaN is a value above all others
	}
	a.all = newCells(a.size)
	unit := unitOf(a.column)
	for i := range a.size {
		if unit == 0 || a.within(i, unit) {
			a.all.add(i)
		}
	}
}

// null is the cell of NULL.
func (a *axis) null() int { return 2*len(a.points) + 1 }

// ends are the first and the last cell of ordinary values, the last one not
// among them.
func (a *axis) ends() (low, high int) { return 0, a.null() }

// within reports whether a cell has a value that is a multiple of the unit.
func (a *axis) within(cell int, unit int64) bool {
	if cell >= a.null() {
		return true
	}
	i := cell / 2
	if a.column.Kind == predicate.KindBool {
		return cell%2 == 1
	}
	if cell%2 == 1 {
		return a.points[i].IsMultiple(unit)
	}
	return i == 0 || i == len(a.points) || a.points[i-1].MultipleBetween(a.points[i], unit)
}

// unitOf is the largest unit that divides all values of a type, or 0. Times are in
// nanoseconds.
func unitOf(t predicate.Type) int64 {
	switch t.Kind {
	case predicate.KindInt, predicate.KindBool:
		return 1
	case predicate.KindDate:
		return 24 * int64(time.Hour)
	case predicate.KindDateTime, predicate.KindTimestamp:
		if t.Bits == 0 {
			return int64(time.Microsecond)
		}
	}
	return 0
}

// indexOf is a point's index among the points, which has it.
func (a *axis) indexOf(p interval.Point) int {
	i, _ := slices.BinarySearchFunc(a.points, p, func(q, p interval.Point) int { order, _ := q.Compare(p); return order })
	return i
}

// leaf returns the condition that is TRUE in the given cells, NULL for NULL, and
// otherwise FALSE.
func (a *axis) leaf(index int, when cells) leaf {
	null := newCells(a.size)
	null.add(a.null())
	l := leaf{axis: index}
	l.may[isTrue] = when.without(null)
	l.may[notTrue] = a.all.without(l.may[isTrue])
	l.may[isFalse] = l.may[notTrue].without(null)
	l.may[notFalse] = l.may[isTrue].or(null)
	return l
}

// compared are the cells in which "column op p" is TRUE.
func (a *axis) compared(op predicate.CompareOp, p interval.Point) cells {
	at := 2*a.indexOf(p) + 1
	low, high := a.ends()
	out := newCells(a.size)
	switch op {
	case predicate.Eq, predicate.NotDistinct:
		out.add(at)
	case predicate.Lt:
		out.addRange(low, at)
	case predicate.Le:
		out.addRange(low, at+1)
	case predicate.Gt:
		out.addRange(at+1, high)
	case predicate.Ge:
		out.addRange(at, high)
	case predicate.Ne, predicate.Distinct:
		out.addRange(low, at)
		out.addRange(at+1, high)
		out.addRange(a.null()+1, a.size) // NaN
	}
	return out
}

// between are the cells from one point to another, high not among them.
func (a *axis) between(low, high interval.Point) cells {
	out := newCells(a.size)
	out.addRange(2*a.indexOf(low)+1, 2*a.indexOf(high)+1)
	return out
}
