package intake

import "math"

// headed looks in one column for rows that sum the group of rows below them, as reports
// have them: a country and then its cities. Such rows need no word for a sum, so all rows
// of the column must belong to a group.
type headed struct {
	out       bool    // a row belongs to no group
	head, sum float64 // of the group that is read; 0: none is
	rows      int64   // of it, below its head
	groups    int64   // that are read
	many      int64   // groups of more than one row
	large     bool    // one of them is hardly a chance
	first     Sums
}

// add takes the next figure, which at describes.
func (h *headed) add(v float64, at func() Sums) {
	switch {
	case h.out || h.head == 0 && v == 0:
	case h.head == 0:
		if h.head, h.sum, h.rows = v, 0, 0; h.groups == 0 {
			h.first = at()
		}
		h.out = v < 10
	default:
		h.sum += v
		h.rows++
		switch d := h.sum - h.head; {
		case math.Abs(d) <= max(1e-6*h.head, 0.005):
			h.groups++
			if h.rows > 1 {
				h.many++
				h.large = h.large || h.head >= 100 || h.rows > 2
			}
			h.head = 0
		case d > 0 || v < 0:
			h.out = true
		}
	}
}

// told returns the rows that sum a group; none if they may be so by chance.
func (h *headed) told() Sums {
	if h.out || h.head != 0 || h.many < 2 || h.many == 2 && !h.large {
		return Sums{}
	}
	h.first.N = h.groups
	return h.first
}
