package delta

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/source/listed"
)

// statistics are those of one file, read when they are needed.
type statistics struct {
	add  *add
	read bool
	known
}

type known struct {
	NumRecords           *int64
	MinValues, MaxValues map[string]json.RawMessage
	NullCount            map[string]json.RawMessage
}

func (s *statistics) get() *known {
	if !s.read {
		s.read = true
		if json.Unmarshal([]byte(s.add.Stats), &s.known) != nil { // they only help
			s.known = known{}
		}
	}
	return &s.known
}

// rows is how many rows the file holds, deleted ones too; false: unknown.
func (s *statistics) rows() (int64, bool) {
	if n := s.get().NumRecords; n != nil && *n >= 0 {
		return *n, true
	}
	return 1, false
}

// bounds is what is known of a column in a file.
func (p *plan) bounds(s *statistics, rows int64, name string, kind predicate.Kind) (interval.Bounds, bool) {
	for i := range p.columns {
		switch c := &p.columns[i]; {
		case c.Name != name:
		case c.partition:
			return c.constant(s.add, rows, kind), true
		default:
			return s.within(c, rows, kind), true
		}
	}
	return interval.Bounds{}, false
}

// constant is the one value that a partition column has in a file.
func (c *column) constant(a *add, rows int64, kind predicate.Kind) interval.Bounds {
	text, ok := c.text(a)
	if !ok {
		return interval.Bounds{Rows: rows, Nulls: rows}
	}
	b := interval.Bounds{Rows: rows, OpenTop: kind == predicate.KindFloat}
	if p, ok := point(kind, text, 0); ok {
		b.Within(p, p)
	}
	return b
}

// within are the bounds of a column of the file.
func (s *statistics) within(c *column, rows int64, kind predicate.Kind) interval.Bounds {
	k, name := s.get(), c.physical
	b := interval.Bounds{Rows: rows, Nulls: -1, OpenTop: kind == predicate.KindFloat}
	if json.Unmarshal(k.NullCount[name], &b.Nulls) != nil || k.NumRecords == nil || b.Nulls > rows {
		b.Nulls = -1
	}
	low, first := c.bound(k.MinValues[name], kind, 0)
	high, second := c.bound(k.MaxValues[name], kind, lost)
	if first && second {
		b.Within(low, high)
	}
	return b
}

// lost is what is cut off moments, which are written in milliseconds.
const lost = time.Millisecond - time.Microsecond

// cutText is from which length on a text may be cut.
const cutText = 32

func (c *column) bound(raw json.RawMessage, kind predicate.Kind, more time.Duration) (interval.Point, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
		return interval.Point{}, false
	}
	text := string(raw)
	if raw[0] == '"' && json.Unmarshal(raw, &text) != nil {
		return interval.Point{}, false
	}
	switch {
	case kind == predicate.KindString && len(text) >= cutText:
		if more == 0 {
			break // a part of the least one is less
		}
		if p, ok := interval.ParsePoint(kind, text); ok {
			return p.AfterPrefix()
		}
	case kind == predicate.KindDecimal:
		var ok bool
		if text, ok = c.exact(text, more > 0); !ok {
			return interval.Point{}, false
		}
	}
	return point(kind, text, more)
}

// exact widens a decimal bound that its writer may have stored as a float. delta-rs rounds up
// to three times; the bound moves by the largest error of these. What it cut to 64 bits, as
// decimals without digits behind the point, is no bound.
func (c *column) exact(text string, up bool) (string, bool) {
	if text == strconv.Itoa(math.MaxInt64) || text == strconv.Itoa(math.MinInt64) {
		return "", false
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	ten, err := strconv.Atoi(cmp.Or(exponent, "0"))
	scale, typed := listed.ScaleOf(c.Type.Name)
	if err != nil || !typed || strings.Trim(mantissa, "-0123456789.") != "" || max(ten, -ten, len(mantissa)) > 100 {
		return "", false
	}
	value, ok := new(big.Rat).SetString(mantissa)
	if !ok {
		return "", false
	}
	unscaled := new(big.Rat).Mul(value, power(ten+scale))
	off := new(big.Rat).Mul(unscaled, big.NewRat(1, 1<<50))
	if off.Abs(off); !up {
		off.Neg(off)
	}
	unscaled.Add(unscaled, off)
	n, rest := new(big.Int).DivMod(unscaled.Num(), unscaled.Denom(), new(big.Int))
	if !up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n.String() + "e-" + strconv.Itoa(scale), true
}

// power is ten to the power of n.
func power(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		p.Inv(p)
	}
	return p
}

// layouts are how moments are written.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04:05.999999999-07", "2006-01-02 15:04:05.999999999-07:00", "2006-01-02"}

func point(kind predicate.Kind, text string, more time.Duration) (interval.Point, bool) {
	if kind != predicate.KindDateTime && kind != predicate.KindTimestamp {
		return interval.ParsePoint(kind, text)
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, text); err == nil {
			return interval.Moment(t.Add(more)), true
		}
	}
	return interval.Point{}, false
}
