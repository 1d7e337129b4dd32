package fit

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// adder adds values up exactly.
type adder[T any] interface {
	add(T)
	merge(adder[T])
	// json writes the sum like a value of the column; nil if there is no sum.
	json() json.RawMessage
}

// bigSum is an integer that is mostly small.
type bigSum struct {
	part int64
	rest *big.Int // nil: 0
}

func (s *bigSum) addInt(v int64) {
	sum := s.part + v
	if (sum > s.part) == (v > 0) {
		s.part = sum
		return
	}
	s.addBig(big.NewInt(s.part))
	s.part = v
}

func (s *bigSum) addBig(v *big.Int) {
	if s.rest == nil {
		s.rest = new(big.Int)
	}
	s.rest.Add(s.rest, v)
}

func (s *bigSum) mergeWith(o *bigSum) {
	s.addInt(o.part)
	if o.rest != nil {
		s.addBig(o.rest)
	}
}

func (s *bigSum) value() *big.Int {
	v := big.NewInt(s.part)
	if s.rest != nil {
		v.Add(v, s.rest)
	}
	return v
}

// maxExact is the largest integer that all JSON readers keep exactly.
const maxExact = 1 << 53

func (s *bigSum) json() json.RawMessage {
	v := s.value()
	if v.IsInt64() && -maxExact <= v.Int64() && v.Int64() <= maxExact {
		return json.RawMessage(v.String())
	}
	return json.RawMessage(`"` + v.String() + `"`)
}

type intSum struct{ bigSum }

func (s *intSum) add(v int64)          { s.addInt(v) }
func (s *intSum) merge(o adder[int64]) { s.mergeWith(&o.(*intSum).bigSum) }

type uintSum struct{ bigSum }

func (s *uintSum) add(v uint64) {
	if v <= math.MaxInt64 {
		s.addInt(int64(v))
		return
	}
	s.addBig(new(big.Int).SetUint64(v))
}

func (s *uintSum) merge(o adder[uint64]) { s.mergeWith(&o.(*uintSum).bigSum) }

// wideSum adds up integers of 128 bits; scale is where their decimal point is.
type wideSum struct {
	bigSum
	scale int32
}

func (s *wideSum) add(v wide) {
	if low := int64(v.LowBits()); v.HighBits() == low>>63 {
		s.addInt(low)
		return
	}
	s.addBig(v.BigInt())
}

func (s *wideSum) merge(o adder[wide]) { s.mergeWith(&o.(*wideSum).bigSum) }

// maxExactDigits is how many decimal digits a float64 always preserves.
const maxExactDigits = 15

func (s *wideSum) json() json.RawMessage {
	if s.scale <= 0 {
		return s.bigSum.json()
	}
	digits := new(big.Int).Abs(s.value()).String()
	if missing := int(s.scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - int(s.scale)
	text := digits[:point] + "." + digits[point:]
	if s.value().Sign() < 0 {
		text = "-" + text
	}
	if len(strings.Trim(strings.Replace(digits, ".", "", 1), "0")) > maxExactDigits {
		text = `"` + text + `"`
	}
	return json.RawMessage(text)
}

// floatSum adds floats without loss: partials are floats with non-overlapping
// bits, in increasing order (Shewchuk, 1997). Only the last step rounds.
type floatSum struct {
	partials []float64
	broken   bool // an infinity, a NaN, or an overflow
}

func (s *floatSum) add(v float64) {
	if s.broken {
		return
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		s.broken = true
		return
	}
	kept := 0
	for _, p := range s.partials {
		if math.Abs(v) < math.Abs(p) {
			v, p = p, v
		}
		high := v + p
		if low := p - (high - v); low != 0 {
			s.partials[kept] = low
			kept++
		}
		v = high
	}
	s.partials = append(s.partials[:kept], v)
	s.broken = math.IsInf(v, 0)
}

func (s *floatSum) merge(o adder[float64]) {
	other := o.(*floatSum)
	s.broken = s.broken || other.broken
	for _, p := range other.partials {
		s.add(p)
	}
}

func (s *floatSum) json() json.RawMessage {
	if s.broken {
		return nil
	}
	// 2200 bits represent any sum of finite floats exactly.
	sum := new(big.Float).SetPrec(2200)
	for _, p := range s.partials {
		sum.Add(sum, new(big.Float).SetFloat64(p))
	}
	v, _ := sum.Float64()
	if math.IsInf(v, 0) {
		return nil
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		text = strconv.FormatFloat(v, 'e', -1, 64)
	} else if !strings.Contains(text, ".") {
		text += ".0"
	}
	return json.RawMessage(text)
}
