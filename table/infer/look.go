package infer

// Look is the family that a single cell seems to belong to.
type Look uint8

// The looks of a cell.
const (
	LooksEmpty Look = iota
	LooksMissing
	LooksNumber
	LooksBool
	LooksDate // a date, time or timestamp
	LooksText
)

// LookAt returns the kind of one cell, for packages that examine a file before
// its columns are known.
func LookAt(cell []byte) Look {
	cell = trim(cell)
	if len(cell) == 0 {
		return LooksEmpty
	}
	c := Column{glance: true}
	switch c.classify(cell) {
	case kindToken, kindInfinite:
		return LooksMissing
	case kindNumber:
		return LooksNumber
	case kindBool:
		return LooksBool
	case kindDate, kindStamp, kindTime:
		return LooksDate
	}
	if isFine(cell) {
		return LooksDate
	}
	return LooksText
}

// HoldsText reports whether the column has text, or no values yet.
func (c *Column) HoldsText() bool {
	return c.counts[kindText]+c.counts[kindJSON] > 0 ||
		c.counts[kindNumber]+c.counts[kindBool]+c.counts[kindDate]+c.counts[kindStamp]+c.counts[kindTime] == 0
}
