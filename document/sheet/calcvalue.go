package sheet

import (
	"math"
	"strconv"
	"strings"
)

// valueKind is the type of a value of a formula.
type valueKind int

const (
	emptyKind valueKind = iota
	numberKind
	textKind
	boolKind
	errorKind
)

// Value is the value of a cell or of a part of a formula.
type Value struct {
	kind   valueKind
	number float64 // of a number; 1 of true
	text   string  // of a text or an error
}

func numberValue(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return errorValue("#NUM!")
	}
	return Value{kind: numberKind, number: f + 0}
}

func textValue(s string) Value { return Value{kind: textKind, text: s} }

func errorValue(name string) Value { return Value{kind: errorKind, text: name} }

func boolValue(b bool) Value {
	if b {
		return Value{kind: boolKind, number: 1}
	}
	return Value{kind: boolKind}
}

// errorValues are the errors that a cell can show.
func errorValues() []string {
	return []string{"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"}
}

// toNumber is the number that a value counts as between operators. A text that may
// be a number, a date or an amount to some programs is not guessed at.
func (v Value) toNumber() (Value, error) {
	switch v.kind {
	case textKind:
		trimmed := strings.TrimSpace(v.text)
		if f, err := strconv.ParseFloat(trimmed, 64); err == nil && plainNumber(trimmed) {
			return numberValue(f), nil
		}
		if v.text == "" || strings.ContainsAny(v.text, "0123456789") ||
			strings.EqualFold(trimmed, "true") || strings.EqualFold(trimmed, "false") {
			return v, cannot("a text that counts as a number in some programs")
		}
		return errorValue("#VALUE!"), nil
	case errorKind:
		return v, nil
	}
	return numberValue(v.number), nil
}

// plainNumber reports whether a text is a number by its digits alone.
func plainNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789.-+") == "" }

// toText is the text that a value is joined as.
func (v Value) toText() (Value, error) {
	switch v.kind {
	case numberKind:
		if a := math.Abs(v.number); a != 0 && (a >= 1e15 || a < 1e-4) {
			return v, cannot("a very large or small number as a text")
		}
		return textValue(strconv.FormatFloat(round15(v.number), 'f', -1, 64)), nil
	case boolKind:
		return v, cannot("true or false as a text")
	case emptyKind:
		return textValue(""), nil
	}
	return v, nil
}

// round15 rounds to the digits that spreadsheets show.
func round15(f float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', maxDigits-1, 64), 64)
	if err != nil {
		return f
	}
	return out
}

// toBool is the truth of a value.
func (v Value) toBool() (Value, error) {
	switch v.kind {
	case textKind:
		return v, cannot("a text as a condition")
	case errorKind:
		return v, nil
	}
	return boolValue(v.number != 0), nil
}

// rank orders values of different types: numbers are before texts.
func (v Value) rank() int { return map[valueKind]int{numberKind: 1, textKind: 2}[v.kind] }

// compareValues orders two values as spreadsheets do: texts without regard to case, an empty
// cell like 0, "" or false. Texts whose order depends on a language are not ordered.
func compareValues(a, b Value, equality bool) (int, error) {
	for _, pair := range []struct{ empty, other *Value }{{&a, &b}, {&b, &a}} {
		if pair.empty.kind == emptyKind {
			*pair.empty = Value{kind: pair.other.kind}
			if pair.other.kind == emptyKind {
				return 0, nil
			}
		}
	}
	switch {
	case a.kind != b.kind && (a.kind == boolKind || b.kind == boolKind):
		return 0, cannot("true or false compared with others, which programs do differently")
	case a.kind != b.kind:
		return a.rank() - b.rank(), nil
	case a.kind == textKind:
		x, y := strings.ToLower(a.text), strings.ToLower(b.text)
		if x == y {
			return 0, nil
		}
		if !equality && (strings.Trim(x, "abcdefghijklmnopqrstuvwxyz") != "" || strings.Trim(y, "abcdefghijklmnopqrstuvwxyz") != "") {
			return 0, cannot("an order of texts that depends on the language")
		}
		return strings.Compare(x, y), nil
	}
	x, y := round15(a.number), round15(b.number)
	switch {
	case x < y:
		return -1, nil
	case x > y:
		return 1, nil
	}
	return 0, nil
}

// near reports whether two values are the same but for what programs round differently.
func near(a, b Value) bool {
	if a.kind == emptyKind {
		a = b2(a, b)
	}
	if a.kind != b.kind {
		return false
	}
	if a.kind != numberKind {
		return a == b
	}
	return math.Abs(a.number-b.number) <= 1e-11*max(math.Abs(a.number), math.Abs(b.number), 1e-3)
}

// b2 is an empty value as one of the other's type.
func b2(a, b Value) Value {
	if b.kind == numberKind || b.kind == textKind {
		return Value{kind: b.kind}
	}
	return a
}

// or is the error of two arguments. Programs differ in which of two they take.
func (v Value) or(other Value) (Value, error) {
	if v.kind == errorKind && v != other {
		return v, cannot("several errors in one function")
	}
	return other, nil
}
