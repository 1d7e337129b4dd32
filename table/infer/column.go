package infer

import (
	"bytes"
	"encoding/json"
)

// kind is the family of values that one cell belongs to.
type kind uint8

const (
	kindEmpty kind = iota // nothing, not even quotes
	kindBlank             // quotes around nothing
	kindToken             // a word for a missing value, as NULL or N/A
	kindNumber
	kindInfinite
	kindBool
	kindDate
	kindStamp
	kindTime
	kindJSON
	kindText
	numKinds
)

// odd is what makes a text of what looks like a value.
type odd uint8

const (
	oddFine    odd = 1 << iota // a time that is finer than a microsecond
	oddPercent                 // a number with a percent sign
)

func oddity(cell []byte) (o odd) {
	if isFine(cell) {
		o |= oddFine
	}
	if bare, ok := bytes.CutSuffix(cell, []byte("%")); ok && len(bare) > 0 && len(bare) <= maxPlace && scanNumber(trim(bare)).formats != 0 {
		o |= oddPercent
	}
	return o
}

// CellRef locates a cell for a report.
type CellRef struct {
	File int    // which of the files that are one table, from 0
	Line int64  // physical line, or row of a sheet
	Text string // the cell, shortened
}

// A position has the line in its lowest lineBits, and the file above them.
const lineBits = 40

// Position packs a line of a file into one number, as Add takes it.
func Position(file int, line int64) int64 { return int64(file)<<lineBits | line }

func cellAt(position int64, cell []byte) CellRef {
	return CellRef{int(position >> lineBits), position & (1<<lineBits - 1), clip(cell)}
}

const (
	maxPlaces = 3
	maxTokens = 6
	maxPlace  = 60 // bytes of a cell to keep for a place
)

// Column gathers the evidence of one column's cells, in file order. The zero
// value is ready.
type Column struct {
	Cells  int64 // cells seen, missing ones included
	counts [numKinds]int64
	places [numKinds][]CellRef
	tokens []string // spellings of missing values, in order of appearance

	formats  NumberFormat // AND over all numbers
	seen     bool         // a number was seen
	dot      spread
	comma    spread
	wide     bool // has an integer beyond 64 bits
	exp      bool
	bare     int64 // numbers as 1e3, which are codes where they are not few
	fracDot  bool  // a number with a fraction, its mark being a dot
	currency uint8
	mixed    bool  // two currencies, or amounts with and without
	nans     int64 // NaN among the tokens
	longs    ways  // 1 for numbers with more digits than a float preserves
	firstNaN CellRef
	failed   int64 // errors of formulas among the tokens
	firstBad CellRef
	writings ways  // number formats; not for numbers that plainInt accepts
	codes    int64 // digits with a leading zero
	codeLen  int   // bytes of the shortest of them
	amounts  ways  // 1 without a currency, 2 with the first one, 4 with another one

	orders    DateOrder // AND over all dates and timestamps
	dated     bool
	dates     ways  // by the orders that they allow
	zoning    ways  // of timestamps: 1 without a zone, 2 with one
	zones     int64 // timestamps with a zone
	last      [numOrders]int64
	backwards [numOrders]int64   // how often dates run backwards, by order
	spans     [numOrders]daySpan // of the dates, by order
	firsts    firsts
	short     bool // two-digit years in an unknown order
	pivoted   bool // the century of some year was guessed

	at      int64 // position of the current cell
	glance  bool  // only one cell is examined: keep no place
	textual bool  // certainly text: only count cells and missing values
	bools   ways  // 1 for true and false, 2 for yes and no
	odd     odd   // AND over all texts
	padded  bool  // a cell has blanks around it
	MaxLen  int   // bytes of the longest cell
	Quoted  int64 // cells with content that were quoted, or texts of a sheet
}

// spread is the widest that numbers got.
type spread struct {
	ints, frac, minFrac int // minFrac counts only numbers with a fraction; 0 if there are none
	total               int // most significant digits in one number
}

// Add adds the next cell. at is its Position; cell is not retained.
func (c *Column) Add(cell []byte, quoted bool, at int64) {
	c.Cells++
	if len(cell) == 0 && quoted {
		c.counts[kindBlank]++
		return
	}
	if len(cell) == 0 || !quoted && string(cell) == `\N` { // as databases write NULL
		c.counts[kindEmpty]++
		return
	}
	c.MaxLen = max(c.MaxLen, len(cell))
	if quoted {
		c.Quoted++
	}
	if c.plainInt(cell) {
		return
	}
	if cell[0] <= ' ' || cell[len(cell)-1] <= ' ' || cell[0] == 0xc2 {
		cell = trim(cell)
		c.padded = true
		if len(cell) == 0 {
			c.counts[kindBlank]++
			return
		}
	}
	c.at = at
	k := kindText
	switch {
	case !c.textual:
		if k = c.classify(cell); k == kindText && c.counts[kindText]&1023 == 1023 {
			c.textual = c.counts[kindText]*4 > c.Cells // too much to be an exception
		}
	case len(cell) <= 4 && isMissing(cell):
		c.token(cell)
		k = kindToken
	}
	c.counts[k]++
	switch {
	case k != kindText || c.textual:
	case c.counts[k] == 1:
		c.odd = oddity(cell)
	case c.odd != 0:
		c.odd &= oddity(cell)
	}
	if len(c.places[k]) < maxPlaces {
		c.places[k] = append(c.places[k], cellAt(at, cell))
	}
}

// plainInt takes the commonest cell of all without ado.
func (c *Column) plainInt(cell []byte) bool {
	if !c.seen || len(cell) > 18 || c.currency != 0 {
		return false
	}
	b := cell
	if b[0] == '-' {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > floatDigits || b[0] == '0' && len(b) > 1 || !allDigits(b) {
		return false
	}
	c.counts[kindNumber]++
	d := digits{ints: len(b)}
	c.dot.add(d)
	c.comma.add(d)
	return true
}

func (s *spread) add(d digits) {
	s.ints = max(s.ints, d.ints)
	s.total = max(s.total, d.significant())
	if d.frac > 0 {
		s.frac = max(s.frac, d.frac)
		if s.minFrac == 0 || d.frac < s.minFrac {
			s.minFrac = d.frac
		}
	}
}

// classify determines the kind of a cell without surrounding blanks.
func (c *Column) classify(cell []byte) kind {
	b := cell[0]
	switch {
	case b-'0' <= 9:
		if k := c.startsWithDigit(cell); k != kindText {
			return k
		}
		return kindText
	case b == '{' || b == '[':
		if json.Valid(cell) {
			return kindJSON
		}
		return kindText
	}
	if len(cell) <= 10 {
		if isInfinite(cell) {
			return kindInfinite
		}
		if isMissing(cell) {
			c.token(cell)
			return kindToken
		}
		if k := c.boolean(cell); k {
			return kindBool
		}
	}
	if n := cell[len(cell)-1]; (b|0x20)-'a' >= 26 || len(marks.first[b]) > 0 && n <= '9' {
		if n := scanNumber(cell); n.formats != 0 {
			return c.number(n, cell)
		}
	}
	if len(cell) <= 40 && (b|0x20)-'a' < 26 && cell[len(cell)-1] <= '9' || len(cell) <= 40 && cell[len(cell)-1]|0x20 == 'm' {
		if st := scanDate(cell); st.orders != 0 {
			return c.date(st, cell)
		}
	}
	return kindText
}

func (c *Column) startsWithDigit(cell []byte) kind {
	if len(cell) <= 40 && (c.dated || len(cell) >= 4) && looksDated(cell) {
		if st := scanDate(cell); st.orders != 0 {
			return c.date(st, cell)
		}
		if _, rest, ok := scanTime(cell); ok && len(rest) == 0 {
			return kindTime
		}
	}
	if n := scanNumber(cell); n.formats != 0 {
		return c.number(n, cell)
	}
	if cell[0] == '0' && allDigits(cell) {
		if c.codes++; c.codes == 1 || len(cell) < c.codeLen {
			c.codeLen = len(cell)
		}
	}
	return kindText
}

// looksDated reports whether a date or time mark follows the first digits.
func looksDated(cell []byte) bool {
	for i := 1; i < len(cell) && i < 5; i++ {
		switch cell[i] {
		case '-', '/', ':', '.':
			return true
		case ' ':
			return i+1 < len(cell) && cell[i+1] > '9'
		}
	}
	return false
}

func (c *Column) date(st stamp, cell []byte) kind {
	if !c.dated {
		c.dated, c.orders = true, anyOrder
	}
	c.orders &= st.orders
	c.short = c.short || st.short
	c.pivoted = c.pivoted || st.short || st.pivoted
	if !c.glance {
		c.dates.add(uint8(st.orders), c.at, cell)
	}
	if c.orders != YMD && c.orders&(c.orders-1) != 0 && !st.named {
		c.firsts.add(st)
		for i := range numOrders {
			if o := DateOrder(1 << i); c.orders&o != 0 {
				at := int64(st.days(o))*86400 + st.clock/microsPerSecond
				if at < c.last[i] {
					c.backwards[i]++
				}
				c.last[i] = at
				c.spans[i].add(st.days(o))
			}
		}
	}
	if !st.hasTime {
		return kindDate
	}
	zone := uint8(1)
	if st.hasZone {
		c.zones++
		zone = 2
	}
	if !c.glance {
		c.zoning.add(zone, c.at, cell)
	}
	return kindStamp
}

func (c *Column) boolean(cell []byte) bool {
	switch {
	case equalFold(cell, "true"), equalFold(cell, "false"):
		c.bools.add(1, c.at, cell)
	case equalFold(cell, "yes"), equalFold(cell, "no"):
		c.bools.add(2, c.at, cell)
	default:
		return false
	}
	return true
}

func (c *Column) token(cell []byte) {
	if isNaN(cell) {
		if c.nans == 0 {
			c.firstNaN = cellAt(c.at, cell)
		}
		c.nans++
	}
	if isFailure(cell) {
		if c.failed == 0 {
			c.firstBad = cellAt(c.at, cell)
		}
		c.failed++
	}
	for _, t := range c.tokens {
		if t == string(cell) {
			return
		}
	}
	if len(c.tokens) < maxTokens {
		c.tokens = append(c.tokens, string(cell))
	}
}

// trim takes blanks of every kind off both ends.
func trim(b []byte) []byte { return bytes.TrimSpace(b) }

func clip(b []byte) string {
	if len(b) > maxPlace {
		return string(b[:maxPlace]) + "…"
	}
	return string(b)
}

// Skip counts n cells that their records lack.
func (c *Column) Skip(n int64) {
	c.Cells += n
	c.counts[kindEmpty] += n
}

// Empty reports whether all cells are empty.
func (c *Column) Empty() bool { return c.counts[kindEmpty] == c.Cells }
