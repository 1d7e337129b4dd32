package infer

import "slices"

// way counts the cells that allow a particular set of interpretations, such as
// number formats or date orders, and keeps the first of them.
type way struct {
	set   uint8
	cells int64
	first CellRef
}

// ways says which cells prevent a column from being interpreted in a single way.
// A column has very few of them.
type ways []way

// add is short enough to be inlined for the usual cell, which is as the first.
func (w *ways) add(set uint8, at int64, cell []byte) {
	if len(*w) > 0 && (*w)[0].set == set {
		(*w)[0].cells++
		return
	}
	w.addOther(set, at, cell)
}

func (w *ways) addOther(set uint8, at int64, cell []byte) {
	for i := range *w {
		if (*w)[i].set == set {
			(*w)[i].cells++
			return
		}
	}
	*w = append(*w, way{set, 1, cellAt(at, cell)})
}

// isExactly reports whether a cell has just this set.
func (w ways) isExactly(set uint8) bool {
	return slices.ContainsFunc(w, func(x way) bool { return x.set == set })
}

// commonest returns the reading, among single bits, that most cells allow.
func (w ways) commonest() (reading uint8) {
	most := int64(0)
	for bit := uint8(1); bit != 0; bit <<= 1 {
		n := int64(0)
		for _, x := range w {
			if x.set&bit != 0 {
				n += x.cells
			}
		}
		if n > most {
			most, reading = n, bit
		}
	}
	return reading
}

// without counts the cells that don't allow a reading.
func (w ways) without(reading uint8) (cells int64, first []CellRef) {
	for _, x := range w {
		if x.set&reading == 0 {
			cells += x.cells
			first = append(first, x.first)
		}
	}
	return cells, first
}
