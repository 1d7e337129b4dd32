package checks

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Screen tells which checks about shares of rows hold in a sample of the rows, which
// costs little. For the other checks all rows must be read.
type Screen struct {
	columns []string
	parts   []*screened
}

// screened is one check of a screen.
type screened struct {
	check   Check
	column  int              // 0: the hashes
	shares  []int64          // how many values there are of each share
	counted map[uint64]int64 // and of each period, or rows of a hash
	values  int64
	texts   map[string]uint64
	unread  bool // the values are of a type that only an engine compares
}

// NewScreen returns a screen for the checks of a table.
func NewScreen(t Table) *Screen {
	s := &Screen{}
	for _, c := range t.Checks {
		part := &screened{check: c, counted: map[uint64]int64{}}
		switch {
		case c.Drift != nil:
			part.column, part.shares = s.column(c.Drift.Column), make([]int64, len(c.Drift.Shares))
			part.unread = !part.drifting(c.Drift)
		case c.Periods != nil:
			part.column = s.column(c.Periods.Column)
		case c.Duplicates == nil:
			continue
		}
		s.parts = append(s.parts, part)
	}
	return s
}

func (s *Screen) column(name string) int {
	if !slices.Contains(s.columns, name) {
		s.columns = append(s.columns, name)
	}
	return 1 + slices.Index(s.columns, name)
}

// Columns are those that the screen looks at.
func (s *Screen) Columns() []string { return s.columns }

// Take looks at rows of a sample: their hash, and the columns.
func (s *Screen) Take(rows arrow.RecordBatch) error {
	for _, p := range s.parts {
		if !p.unread {
			p.take(rows.Column(p.column))
		}
	}
	return nil
}

// Holds reports whether a check holds for the sample of rows with these columns.
func (s *Screen) Holds(c Check, columns []string) bool {
	for _, p := range s.parts {
		if p.unread || p.check.Drift != c.Drift || p.check.Periods != c.Periods || p.check.Duplicates != c.Duplicates {
			continue
		}
		switch {
		case c.Drift != nil:
			return p.values == 0 || c.Drift.index(p.shares, p.values) <= c.Drift.Max
		case c.Periods != nil:
			return p.values > 0 && c.Periods.hold(p.counted)
		}
		all := slices.Equal(slices.Sorted(slices.Values(columns)), slices.Sorted(slices.Values(c.Duplicates.Columns)))
		return all && float64(p.values-int64(len(p.counted))) <= c.Duplicates.Max*float64(p.values)
	}
	return false
}

// drifting prepares a check of shares, whose values are texts.
func (p *screened) drifting(d *Drift) bool {
	if len(d.Values) == 0 {
		return true
	}
	p.texts = map[string]uint64{}
	for i, v := range d.Values {
		switch v := v.(type) {
		case string:
			p.texts[v] = uint64(i)
		case bool:
			p.texts[strconv.FormatBool(v)] = uint64(i)
		default:
			return false
		}
	}
	return len(p.texts) == len(d.Values)
}

func (p *screened) take(column arrow.Array) {
	part := p.partOf(column)
	if p.unread = part == nil; p.unread {
		return
	}
	for i := range column.Len() {
		if !column.IsValid(i) {
			continue
		}
		at := part(i)
		if at == besides {
			continue
		}
		p.values++
		if p.shares != nil {
			p.shares[at]++
		} else {
			p.counted[at]++
		}
	}
}

// besides marks a value that does not count.
const besides = math.MaxUint64

// partOf returns the function that says to which share, period or hash a value belongs; nil
// if only the engine can tell.
func (p *screened) partOf(column arrow.Array) func(i int) uint64 {
	switch d := p.check.Drift; {
	case p.check.Duplicates != nil:
		if hashes, ok := column.(*array.Uint64); ok {
			return hashes.Value
		}
	case p.check.Periods != nil:
		return periodOf(column, p.check.Periods.Each)
	case p.texts != nil:
		text := shownText(column)
		if text == nil {
			return nil
		}
		return func(i int) uint64 {
			if at, listed := p.texts[text(i)]; listed {
				return at
			}
			return uint64(len(p.texts))
		}
	default:
		if number := numberOf(column); number != nil {
			return func(i int) uint64 {
				v := number(i)
				if d.Besides != nil && v == *d.Besides {
					return besides
				}
				if math.IsNaN(v) { // the engine's order has it above all
					return uint64(len(d.Bounds))
				}
				at, _ := slices.BinarySearch(d.Bounds, v)
				return uint64(at)
			}
		}
	}
	return nil
}

func shownText(column arrow.Array) func(i int) string {
	switch a := column.(type) {
	case *array.String:
		return a.Value
	case *array.Boolean:
		return func(i int) string { return strconv.FormatBool(a.Value(i)) }
	}
	return nil
}

func numberOf(column arrow.Array) func(i int) float64 {
	switch a := column.(type) {
	case *array.Int32:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int64:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Float64:
		return a.Value
	case *array.Decimal32:
		one := unit(a)
		return func(i int) float64 { return float64(a.Value(i)) / one }
	case *array.Decimal64:
		one := unit(a)
		return func(i int) float64 { return float64(a.Value(i)) / one }
	}
	if id := column.DataType().ID(); !arrow.IsInteger(id) && !arrow.IsFloating(id) && !arrow.IsDecimal(id) {
		return nil
	}
	return func(i int) float64 {
		v, err := strconv.ParseFloat(column.ValueStr(i), 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
}

// unit is by what the whole numbers that decimals are kept as are divided, which rounds
// as reading their text does.
func unit(column arrow.Array) float64 {
	return math.Pow10(int(column.DataType().(arrow.DecimalType).GetScale()))
}

// periodOf numbers the days, months or years of a column's values.
func periodOf(column arrow.Array, each string) func(i int) uint64 {
	var at func(i int) time.Time
	switch a := column.(type) {
	case *array.Date32:
		at = func(i int) time.Time { return a.Value(i).ToTime() }
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		at = func(i int) time.Time { return a.Value(i).ToTime(unit) }
	default:
		return nil
	}
	return func(i int) uint64 { return period(at(i), each) }
}

func period(t time.Time, each string) uint64 {
	switch each {
	case "day":
		return uint64(math.Floor(float64(t.Unix()) / 86400))
	case "month":
		return uint64(12*t.Year() + int(t.Month()))
	}
	return uint64(t.Year())
}

// index is the population stability index of counted shares, or the statistic of ks.
func (d *Drift) index(counted []int64, of int64) (sum float64) {
	if d.By == "ks" {
		difference := 0.0
		for i, was := range d.Shares[:len(d.Bounds)] {
			difference += float64(counted[i])/float64(of) - was
			sum = max(sum, math.Abs(difference))
		}
		return sum
	}
	for i, was := range d.Shares {
		is := max(float64(counted[i])/float64(of), leastShare)
		was = max(was, leastShare)
		sum += (is - was) * math.Log(is/was)
	}
	return sum
}

// hold reports whether all periods have rows as they should.
func (p *Periods) hold(counted map[uint64]int64) bool {
	all := slices.SortedFunc(maps.Keys(counted), func(a, b uint64) int { return int(int64(a - b)) })
	first, last := all[0], all[len(all)-1]
	if p.Through != "" {
		t, err := time.Parse(time.DateOnly, p.Through)
		if err != nil || int64(last-period(t, p.Each)) < 0 {
			return false
		}
	}
	if int64(last-first)+1 != int64(len(all)) {
		return false
	}
	if len(all) < 3 {
		return true
	}
	var inner []int64
	for _, period := range all[1 : len(all)-1] {
		inner = append(inner, counted[period])
	}
	slices.Sort(inner)
	n := len(inner)
	return float64(inner[0]) >= p.Min*float64(inner[(n-1)/2]+inner[n/2])/2
}
