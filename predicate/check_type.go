package predicate

import (
	"strings"

	"github.com/agnes-data/da/predicate/syntax"
)

func (t Type) Numeric() bool {
	return t.Kind == KindInt || t.Kind == KindFloat || t.Kind == KindDecimal
}

func (t Type) Calendar() bool {
	return t.Kind == KindDate || t.Kind == KindDateTime || t.Kind == KindTimestamp
}

// Nanoseconds reports whether values of t have nanoseconds.
func (t Type) Nanoseconds() bool { return t.Kind == KindDateTime && t.Bits == nanoBits }

// narrow marks floats of four bytes, which engines widen at different points.
func (t Type) narrow() bool { return t.Kind == KindFloat && t.Bits == 32 }

// valueSense returns the dialect of a type whose values engines treat
// differently.
func (d *Traits) valueSense(t Type) Dialect {
	if t.Padded || t.narrow() {
		return d.Name
	}
	return ""
}

// ordered reports whether values of the type can be compared.
func (t Type) ordered() bool {
	switch t.Kind {
	case KindUnknown, KindJSON, KindList, KindStruct, KindMap:
		return false
	}
	return true
}

var kindNames = map[Kind]string{
	KindUnknown: "unknown", KindNull: "NULL", KindBool: "boolean", KindInt: "integer", KindFloat: "float", KindDecimal: "decimal",
	KindString: "string", KindBytes: "bytes", KindDate: "date", KindTime: "time", KindDateTime: "datetime",
	KindTimestamp: "timestamp", KindInterval: "interval", KindJSON: "json", KindUUID: "uuid", KindList: "list", KindStruct: "struct",
	KindMap: "map",
}

// String returns the engine's name of the type if known, otherwise that of the
// kind.
func (t Type) String() string {
	if t.Name != "" {
		return t.Name
	}
	return kindNames[t.Kind]
}

// describe is the type with an article, for messages.
func (t Type) describe() string {
	switch t.Kind {
	case KindUnknown:
		return "of a type that can't be compared (" + syntax.Clip(t.String()) + ")"
	case KindNull:
		return "NULL"
	case KindBool:
		return "a boolean"
	case KindString:
		return "a text"
	case KindBytes:
		return "bytes"
	case KindJSON:
		return "JSON"
	case KindDateTime:
		return "a date and time without zone"
	case KindTimestamp:
		return "a point in time"
	}
	name := kindNames[t.Kind]
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// common is the type in which values of two types meet, as in comparisons and
// the arms of CASE; false if they don't.
func common(d *Traits, a, b Type) (Type, bool) {
	switch {
	case a.Kind == KindNull:
		return b, b.Kind != KindUnknown
	case b.Kind == KindNull:
		return a, a.Kind != KindUnknown
	case a.Kind == KindUnknown || b.Kind == KindUnknown:
		return Type{}, false
	case a.Numeric() && b.Numeric():
		return commonNumber(a, b), true
	case a.Kind == b.Kind:
		return commonSame(d, a, b)
	}
	if a.Kind > b.Kind {
		a, b = b, a
	}
	switch {
	case a.Kind == KindDate && b.Kind == KindDateTime:
		return Type{Kind: KindDateTime, Bits: b.Bits}, true
	case (a.Kind == KindDate || a.Kind == KindDateTime) && b.Kind == KindTimestamp && d.ImplicitZone:
		return Type{Kind: KindTimestamp}, true
	}
	return Type{}, false
}

// Separable reports whether x IN (…) and x BETWEEN mean the comparisons of x with each
// of the others by itself. Engines convert all operands to one type: beside 1e18,
// 9007199254740993 is a float, and equal to 9007199254740992.
func Separable(x Expr, others ...Expr) bool {
	var first Type
	for _, o := range others {
		t := o.Type()
		switch {
		case t.Kind == KindNull:
			continue
		case x.Type().Numeric() && t.Numeric():
			if t = commonNumber(x.Type(), t); t.Kind != KindFloat {
				t = Type{Kind: KindDecimal} // integers and decimals are exact
			}
		case t.Kind == KindDate:
			t = Type{Kind: KindDateTime}
		}
		if first.Kind != KindUnknown && (t.Kind != first.Kind || t.Bits != first.Bits) {
			return false
		}
		first = t
	}
	return true
}

func commonNumber(a, b Type) Type {
	if a.Kind == KindFloat || b.Kind == KindFloat {
		out := Type{Kind: KindFloat, Bits: 64}
		if (a.Kind != KindFloat || a.Bits == 32) && (b.Kind != KindFloat || b.Bits == 32) {
			out.Bits = 32
		}
		return out
	}
	if a.Kind == KindDecimal || b.Kind == KindDecimal {
		return Type{Kind: KindDecimal}
	}
	t := Type{Kind: KindInt, Bits: max(a.Bits, b.Bits), Unsigned: a.Unsigned && b.Unsigned}
	if a.Unsigned != b.Unsigned && (a.Unsigned && a.Bits == t.Bits || b.Unsigned && b.Bits == t.Bits) {
		t.Bits = min(128, 2*t.Bits)
	}
	return t
}

func commonSame(d *Traits, a, b Type) (Type, bool) {
	switch a.Kind {
	case KindList:
		if a.Elem == nil || b.Elem == nil {
			return Type{}, false
		}
		elem, ok := common(d, *a.Elem, *b.Elem)
		return Type{Kind: KindList, Elem: &elem}, ok
	case KindStruct, KindMap, KindJSON:
		return Type{}, false
	case KindString:
		return Type{Kind: KindString, Padded: a.Padded || b.Padded}, true
	}
	return Type{Kind: a.Kind, Bits: max(a.Bits, b.Bits)}, true
}
