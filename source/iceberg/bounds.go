package iceberg

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/source/listed"
)

// span is where the values lie that a partition or a bound stands for.
type span struct{ low, high interval.Point }

// units are the nanoseconds of what a type of moments counts.
func unit(typ string) (time.Duration, bool) {
	switch typ {
	case "time", "timestamp", "timestamptz":
		return time.Microsecond, true
	case "timestamp_ns", "timestamptz_ns":
		return time.Nanosecond, true
	}
	return 0, false
}

// moment is a number of units since 1970.
func moment(n int64, u time.Duration) time.Time {
	per := int64(time.Second / u)
	sec, rest := n/per, n%per
	return time.Unix(sec, rest*int64(u)).UTC()
}

// number is the point of an integer that stands for a value of the type.
func number(typ string, kind predicate.Kind, n int64, cut bool) (interval.Point, bool) {
	u, clock := unit(typ)
	switch {
	case typ == "date":
		return interval.Moment(time.Unix(0, 0).UTC().AddDate(0, 0, int(n))), true
	case typ == "time":
		return interval.ParsePoint(kind, moment(n, u).Format("15:04:05.999999999"))
	case clock && cut: // the engine reads microseconds, and before 1970 later ones
		return interval.Moment(moment(n/1000, time.Microsecond)), true
	case clock:
		return interval.Moment(moment(n, u)), true
	}
	return interval.ParsePoint(kind, strconv.FormatInt(n, 10))
}

// unscaled is the point of a decimal.
func unscaled(kind predicate.Kind, n *big.Int, scale int) (interval.Point, bool) {
	return interval.ParsePoint(kind, n.String()+"e-"+strconv.Itoa(scale))
}

// twos reads an integer in two's complement.
func twos(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// point reads a bound, nil if there is none: those of a column that was widened have
// the bytes of its older type.
func point(typ string, kind predicate.Kind, b []byte) (interval.Point, bool) {
	if b == nil {
		return interval.Point{}, false
	}
	if scale, ok := listed.ScaleOf(typ); ok && len(b) > 0 {
		return unscaled(kind, twos(b), scale)
	}
	switch typ {
	case "boolean":
		return interval.Truth(len(b) == 1 && b[0] != 0), len(b) == 1
	case "string":
		return interval.ParsePoint(kind, string(b))
	case "uuid":
		if len(b) != 16 {
			return interval.Point{}, false
		}
		h := hex.EncodeToString(b)
		return interval.ParsePoint(kind, strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-"))
	case "float", "double":
		switch len(b) {
		case 4:
			return float(kind, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		case 8:
			return float(kind, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
		return interval.Point{}, false
	case "int", "long", "date", "time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns":
		switch len(b) {
		case 4:
			n := int64(int32(binary.LittleEndian.Uint32(b))) //nolint:gosec // as it was written
			if _, clock := unit(typ); clock {
				return number("date", kind, n, false) // a date that became a moment
			}
			return number(typ, kind, n, false)
		case 8:
			return number(typ, kind, int64(binary.LittleEndian.Uint64(b)), typ == "timestamptz_ns") //nolint:gosec // as it was written
		}
	}
	return interval.Point{}, false
}

func float(kind predicate.Kind, f float64) (interval.Point, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return interval.Point{}, false
	}
	return interval.ParsePoint(kind, strconv.FormatFloat(f, 'g', -1, 64))
}

// of is where the values of a column lie in a partition whose field has the value,
// which is not NULL; false: it does not say.
func (p *partition) of(f *field, kind predicate.Kind, value any) (span, bool) {
	typ := f.Type.Name
	name, arg, _ := strings.Cut(strings.TrimSuffix(p.Transform, "]"), "[")
	n, isInt := value.(int64)
	raw, isRaw := value.([]byte)
	switch name {
	case "identity":
		pt, ok := identity(typ, kind, value)
		return span{pt, pt}, ok
	case "year", "month", "day", "hour":
		if isInt {
			return period(name, n)
		}
	case "truncate":
		width, err := strconv.ParseInt(arg, 10, 64)
		scale, isDecimal := listed.ScaleOf(typ)
		switch {
		case err != nil || width < 1:
		case isDecimal && isRaw && len(raw) > 0:
			low := twos(raw)
			first, ok1 := unscaled(kind, low, scale)
			last, ok2 := unscaled(kind, new(big.Int).Add(low, big.NewInt(width-1)), scale)
			return span{first, last}, ok1 && ok2
		case isInt:
			first, ok1 := number(typ, kind, n, false)
			last, ok2 := interval.ParsePoint(kind, new(big.Int).Add(big.NewInt(n), big.NewInt(width-1)).String())
			return span{first, last}, ok1 && ok2
		case isRaw && typ == "string":
			first, ok := interval.ParsePoint(kind, string(raw))
			if !ok || len(raw) == 0 {
				return span{}, false
			}
			last, ok := first.AfterPrefix()
			return span{first, last}, ok
		}
	}
	return span{}, false
}

// identity is the point of a value that Avro holds.
func identity(typ string, kind predicate.Kind, value any) (interval.Point, bool) {
	switch v := value.(type) {
	case bool:
		return interval.Truth(v), kind == predicate.KindBool
	case int64:
		return number(typ, kind, v, typ == "timestamptz_ns")
	case float64:
		return float(kind, v)
	case []byte:
		return point(typ, kind, v)
	}
	return interval.Point{}, false
}

// period is a year, a month, a day or an hour, counted from 1970.
func period(name string, n int64) (span, bool) {
	const most = 1 << 40
	if n > most || n < -most {
		return span{}, false
	}
	first := time.Unix(0, 0).UTC()
	next := first
	switch name {
	case "year":
		first, next = first.AddDate(int(n), 0, 0), first.AddDate(int(n)+1, 0, 0)
	case "month":
		first, next = first.AddDate(0, int(n), 0), first.AddDate(0, int(n)+1, 0)
	case "day":
		first, next = first.AddDate(0, 0, int(n)), first.AddDate(0, 0, int(n)+1)
	case "hour":
		first, next = time.Unix(n*3600, 0).UTC(), time.Unix(n*3600+3600, 0).UTC()
	}
	return span{interval.Moment(first), interval.Moment(next.Add(-time.Nanosecond))}, true
}

// narrow makes bounds those of both.
func narrow(b *interval.Bounds, s span) {
	if b.Low == nil || b.High == nil {
		b.Within(s.low, s.high)
		return
	}
	low, high := *b.Low, *b.High
	if order, _ := s.low.Compare(low); order > 0 {
		low = s.low
	}
	if order, _ := s.high.Compare(high); order < 0 {
		high = s.high
	}
	b.Within(low, high)
}

// bounds is what a manifest says of a column in a file.
func (p *plan) bounds(e *entry, name string, kind predicate.Kind) (interval.Bounds, bool) {
	f := p.byName[name]
	if f == nil {
		return interval.Bounds{}, false
	}
	// NaN is in no bounds.
	b := interval.Bounds{Rows: e.rows, Nulls: -1, OpenTop: kind == predicate.KindFloat}
	if n, ok := e.nulls[f.ID]; ok && n >= 0 && n <= e.rows {
		b.Nulls = n
	}
	low, first := point(f.Type.Name, kind, e.low[f.ID])
	high, second := point(f.Type.Name, kind, e.high[f.ID])
	if first && second {
		b.Within(low, high)
	}
	for i := range p.spec(e.spec) {
		part := &p.spec(e.spec)[i]
		value, there := e.partition[part.ID]
		if part.Source != f.ID || !there || len(part.Sources) > 1 {
			continue
		}
		if value == nil {
			if part.Transform != "void" {
				b.Nulls = e.rows
			}
		} else if s, ok := part.of(f, kind, value); ok {
			narrow(&b, s)
		}
	}
	return b, true
}

// summarised is what a manifest list says of a column in a manifest.
func (p *plan) summarised(m *manifest, name string, kind predicate.Kind) (interval.Bounds, bool) {
	f := p.byName[name]
	parts := p.spec(m.spec)
	if f == nil || len(parts) != len(m.partition) {
		return interval.Bounds{}, false
	}
	b, found := interval.Bounds{Rows: 1, Nulls: -1, OpenTop: kind == predicate.KindFloat}, false
	for i := range parts {
		part, sum := &parts[i], &m.partition[i]
		if part.Source != f.ID || part.Transform == "void" || len(part.Sources) > 1 {
			continue
		}
		found = true
		switch {
		case !sum.hasNull && kind != predicate.KindFloat:
			b.Nulls = 0
		case sum.low == nil && sum.high == nil && kind != predicate.KindFloat:
			b.Nulls = 1
			continue
		}
		low, ok1 := part.of(f, kind, part.value(f, sum.low))
		high, ok2 := part.of(f, kind, part.value(f, sum.high))
		if ok1 && ok2 {
			narrow(&b, span{low.low, high.high})
		}
	}
	return b, found
}

// value reads the bound of a partition's field as Avro would hold it.
func (p *partition) value(f *field, b []byte) any {
	if b == nil {
		return nil
	}
	typ := f.Type.Name
	_, isDecimal := listed.ScaleOf(typ)
	name, _, _ := strings.Cut(p.Transform, "[")
	if name == "identity" && (typ == "float" || typ == "double" || typ == "boolean") {
		return b
	}
	if (name == "identity" || name == "truncate") && (isDecimal || typ == "string" || typ == "uuid" || strings.HasPrefix(typ, "fixed") ||
		typ == "binary") {
		return b
	}
	switch len(b) {
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b))) //nolint:gosec // as it was written
	case 8:
		return int64(binary.LittleEndian.Uint64(b)) //nolint:gosec // as it was written
	}
	return nil
}
