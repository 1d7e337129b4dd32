package predicate

import "strings"

// castType is a target type of casts. It has the names that a dialect accepts;
// the first one is used for printing.
type castType struct {
	t     Type
	names []string
}

// castTo is the target of a cast by its name in lower case.
func (d *Traits) castTo(name string) (Type, bool) {
	for _, ct := range d.casts {
		for _, known := range ct.names {
			if len(known) == len(name) && strings.EqualFold(known, name) {
				return ct.t, true
			}
		}
	}
	return Type{}, false
}

// CastSpelling returns how the dialect writes a type without parameters; "" if it
// cannot. For decimals it takes the first type with enough fractional digits.
func CastSpelling(d *Traits, t Type) string {
	spelling := ""
	for _, ct := range d.casts {
		if ct.t.Kind != t.Kind || (t.Kind == KindInt || t.Kind == KindFloat) && ct.t.Bits != t.Bits {
			continue
		}
		if spelling = ct.names[0]; t.Kind != KindDecimal || t.Scale <= ct.t.Scale {
			break
		}
	}
	return spelling
}

// castable says which conversions exist. Those that can fail at run time fail in
// the engine.
func castable(d *Traits, from, to Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case f == KindNull || f == t && f != KindUnknown && f != KindList && f != KindStruct && f != KindMap && f != KindJSON:
		return true
	case f == KindUnknown, f == KindJSON:
		return t == KindString && d.castsAnything
	case f == KindList || f == KindStruct || f == KindMap:
		return false
	case t == KindString || f == KindString:
		return true
	case from.Numeric() && to.Numeric():
		return true
	case f == KindBool && t == KindInt, f == KindInt && t == KindBool:
		return !d.castsBool32 || from.Bits == 32 || to.Bits == 32
	case f == KindDate:
		return t == KindDateTime || t == KindTimestamp
	case f == KindDateTime, f == KindTimestamp:
		return t == KindDate || t == KindTime && (f == KindDateTime || d.castsTimestampsToTime) || t == KindDateTime || t == KindTimestamp
	}
	return false
}

// plainCast reports whether a conversion gives the same value in every engine.
func plainCast(from, to Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case from.Padded || from.Bits > 64 || to.Bits > 64:
		return false
	case f == KindInt && t == KindInt:
		return to.Bits == 64
	case f == KindInt:
		return t == KindFloat && to.Bits == 64 && from.Bits <= 32 || t == KindString
	case f == KindDate:
		return t == KindDateTime || t == KindString || t == KindDate || t == KindTimestamp
	case f == t:
		return f == KindString || f == KindBool || f == KindBytes || f == KindDateTime || f == KindTimestamp || f == KindUUID ||
			f == KindFloat && from.Bits == 64 && to.Bits == 64
	case f == KindDateTime || f == KindTimestamp:
		// Sessions are in UTC everywhere.
		return t == KindDate || t == KindTimestamp || t == KindDateTime
	}
	return false
}
