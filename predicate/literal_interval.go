package predicate

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// UnitSizes are the units of intervals in months, days and microseconds.
var UnitSizes = map[string]Interval{
	"microsecond": {Micros: 1}, "millisecond": {Micros: 1000}, "second": {Micros: 1e6}, "minute": {Micros: 60e6}, "hour": {Micros: 3600e6},
	"day": {Days: 1}, "week": {Days: 7}, "month": {Months: 1}, "quarter": {Months: 3}, "year": {Months: 12}, "decade": {Months: 120},
	"century": {Months: 1200},
}

// UnitName is the singular of a unit; empty if it is not one.
func UnitName(s string) string {
	s = syntax.Lower(s)
	if s == "centuries" {
		return "century"
	}
	if _, ok := UnitSizes[s]; ok {
		return s
	}
	s = strings.TrimSuffix(s, "s")
	if _, ok := UnitSizes[s]; ok {
		return s
	}
	return map[string]string{"mon": "month", "min": "minute", "sec": "second", "hr": "hour"}[s]
}

const (
	maxIntervalPart  = math.MaxInt32
	maxIntervalMicro = math.MaxInt64 / 4
)

// plus adds n units, false on overflow.
func (iv Interval) plus(n int64, unit Interval) (Interval, bool) {
	ok := true
	mul := func(a, b, most int64) int64 {
		if b != 0 && (a > most/b || a < -most/b) {
			ok = false
			return 0
		}
		return a * b
	}
	out := Interval{iv.Months + mul(n, unit.Months, maxIntervalPart), iv.Days + mul(n, unit.Days, maxIntervalPart),
		iv.Micros + mul(n, unit.Micros, maxIntervalMicro)}
	for _, v := range []int64{out.Months, out.Days} {
		ok = ok && v <= maxIntervalPart && v >= -maxIntervalPart
	}
	return out, ok && out.Micros <= maxIntervalMicro && out.Micros >= -maxIntervalMicro
}

// readInterval reads '1 year 2 days 03:04:05.6'.
func readInterval(s string) (Interval, bool) {
	words := strings.Fields(s)
	var iv Interval
	ok := len(words) > 0
	for i := 0; ok && i < len(words); i++ {
		if strings.Contains(words[i], ":") {
			w, negative := strings.CutPrefix(words[i], "-")
			d, good := readTime(w, 6)
			if negative {
				d = -d
			}
			iv, ok = iv.plus(d.Microseconds(), Interval{Micros: 1})
			ok = ok && good
			continue
		}
		num, unit := words[i], ""
		if i+1 < len(words) {
			unit = words[i+1]
			i++
		}
		name := UnitName(unit)
		if name == "" {
			return iv, false
		}
		iv, ok = iv.plusText(num, UnitSizes[name])
	}
	return iv, ok
}

// plusText adds a number of units given as text. Fractions are allowed only for
// seconds and within a day, where they are unambiguous.
func (iv Interval) plusText(num string, unit Interval) (Interval, bool) {
	if n, err := strconv.ParseInt(num, 10, 64); err == nil {
		return iv.plus(n, unit)
	}
	r, ok := new(big.Rat).SetString(num)
	if !ok || unit.Micros == 0 || len(num) > 30 || strings.ContainsAny(num, "/eEpPxX_") {
		return iv, false
	}
	r.Mul(r, new(big.Rat).SetInt64(unit.Micros))
	if !r.IsInt() || !r.Num().IsInt64() {
		return iv, false
	}
	return iv.plus(r.Num().Int64(), Interval{Micros: 1})
}

// interval checks an interval, constant or computed.
func (c *checker) interval(n *syntax.Node) (Expr, error) {
	arg := n.Args[0]
	switch {
	case strings.Contains(n.Text, " to "):
		return c.googleRange(n)
	case arg.Kind == syntax.String:
		if !c.d.IntervalQuoted {
			return nil, c.badInterval(n, "Write INTERVAL 30 DAY.")
		}
		iv, ok := Interval{}, false
		if n.Text == "" {
			iv, ok = readInterval(arg.Text)
		} else if name := UnitName(n.Text); name != "" {
			iv, ok = iv.plusText(strings.TrimSpace(arg.Text), UnitSizes[name])
		}
		if !ok {
			return nil, c.badInterval(n, "")
		}
		return &Literal{Value: iv, T: Type{Kind: KindInterval}}, nil
	}
	x, err := c.expr(arg)
	if err != nil {
		return nil, err
	}
	if l, ok := x.(*Literal); ok {
		if v, ok := l.Value.(int64); ok {
			if iv, ok := (Interval{}).plus(v, UnitSizes[UnitName(n.Text)]); ok {
				return &Literal{Value: iv, T: Type{Kind: KindInterval}}, nil
			}
		}
		return nil, c.badInterval(n, "")
	}
	part := &syntax.Node{Kind: syntax.String, At: n.At, End: n.End, Text: UnitName(n.Text)}
	if !c.d.PartsAsText {
		part = &syntax.Node{Kind: syntax.Name, At: n.At, End: n.End,
			Names: []syntax.Token{{Kind: syntax.TokenWord, At: n.At, End: n.End, Text: UnitName(n.Text)}}}
	}
	return c.callWith(n, "interval of", []*syntax.Node{arg, part}, []Expr{x, nil})
}

func (c *checker) badInterval(n *syntax.Node, hint string) *syntax.Fault {
	return &syntax.Fault{Kind: api.KindBadLiteral, At: n.At, Found: c.snippet(n), Expected: "an interval such as INTERVAL '30 days'",
		Msg: "this is not an interval that can be used here", Hint: hint}
}

// rangeFields are the fields of INTERVAL '1-2 3 4:5:6' YEAR TO SECOND in order.
var rangeFields = []string{"year", "month", "day", "hour", "minute", "second"}

// googleRange parses the canonical text form between two units.
func (c *checker) googleRange(n *syntax.Node) (Expr, error) {
	bad := c.badInterval(n, "Write INTERVAL '1-2 3 4:5:6' YEAR TO SECOND, or INTERVAL 30 DAY.")
	arg := n.Args[0]
	from, to, _ := strings.Cut(n.Text, " to ")
	first, last := indexOf(rangeFields, from), indexOf(rangeFields, to)
	if arg.Kind != syntax.String || first < 0 || last <= first {
		return nil, bad
	}
	separators := []byte{'-', ' ', ' ', ':', ':'}
	rest := arg.Text
	var iv Interval
	group := ""
	for f := first; f <= last; f++ {
		end := len(rest)
		if f < last {
			if end = strings.IndexByte(rest[min(1, len(rest)):], separators[f]) + 1; end < 1 || len(rest) == 0 {
				return nil, bad
			}
		}
		field := rest[:end]
		rest = rest[min(end+1, len(rest)):]
		// A sign applies to year-month, day, and hour-minute-second as groups.
		if f == first || f == 2 || f == 3 {
			group = ""
			if field != "" && (field[0] == '-' || field[0] == '+') {
				group, field = strings.TrimPrefix(field[:1], "+"), field[1:]
			}
		}
		if field == "" || !syntax.IsDigit(field[0]) || strings.Contains(field, ".") && f != 5 {
			return nil, bad
		}
		var ok bool
		if iv, ok = iv.plusText(group+field, UnitSizes[rangeFields[f]]); !ok {
			return nil, bad
		}
	}
	return &Literal{Value: iv, T: Type{Kind: KindInterval}}, nil
}

func indexOf(list []string, s string) int {
	for i, v := range list {
		if v == s {
			return i
		}
	}
	return -1
}

// Text writes the interval in the form of DuckDB and PostgreSQL.
func (iv Interval) Text() string {
	var words []string
	for _, p := range []struct {
		n    int64
		unit string
	}{{iv.Months, "months"}, {iv.Days, "days"}, {iv.Micros, "microseconds"}} {
		if p.n != 0 {
			words = append(words, fmt.Sprint(p.n, " ", p.unit))
		}
	}
	if len(words) == 0 {
		return "0 days"
	}
	return strings.Join(words, " ")
}
