package cover

import "slices"

// cells is a set of an axis's cells, a bit each.
type cells []uint64

func newCells(n int) cells { return make(cells, (n+63)/64) }

func (c cells) add(i int) { c[i/64] |= 1 << (i % 64) }

// addRange adds the cells from low to high, high not among them.
func (c cells) addRange(low, high int) {
	for i := low; i < high; i++ {
		c.add(i)
	}
}

func (c cells) and(o cells) cells {
	out := make(cells, len(c))
	for i := range c {
		out[i] = c[i] & o[i]
	}
	return out
}

func (c cells) or(o cells) cells {
	out := make(cells, len(c))
	for i := range c {
		out[i] = c[i] | o[i]
	}
	return out
}

// without leaves the cells that are not in o.
func (c cells) without(o cells) cells {
	out := make(cells, len(c))
	for i := range c {
		out[i] = c[i] &^ o[i]
	}
	return out
}

func (c cells) empty() bool {
	return !slices.ContainsFunc(c, func(w uint64) bool { return w != 0 })
}
