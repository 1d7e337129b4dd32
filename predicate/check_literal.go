package predicate

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// number reads a number's value. Its kind depends on the dialect: 1.5 is a
// decimal in some and a float in others.
func (c *checker) number(n *syntax.Node, negative bool) (Expr, error) {
	text := strings.ReplaceAll(n.Text, "_", "")
	if len(text) > syntax.MaxNumberDigits {
		return nil, &syntax.Fault{Kind: api.KindBadLiteral, At: n.At, Found: syntax.Clip(text), Msg: "the number has too many digits"}
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		if negative {
			i = -i
		}
		return smallInteger(i), nil
	}
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") || strings.Trim(text, "0123456789") == "" {
		i, ok := new(big.Int).SetString(text, 0+base(text))
		if !ok {
			i, ok = new(big.Int).SetString(text[2:], 16)
		}
		if !ok {
			return nil, c.badNumber(n)
		}
		return c.integer(n, i, negative)
	}
	if c.d.floatNumber(text) {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, c.badNumber(n)
		}
		if negative {
			f = -f
		}
		return &Literal{Value: f, T: Type{Kind: KindFloat, Bits: 64}}, nil
	}
	return c.decimal(n, text, negative)
}

func base(text string) int {
	if len(text) > 1 && (text[1] == 'x' || text[1] == 'X') {
		return 0
	}
	return 10
}

func (c *checker) badNumber(n *syntax.Node) error {
	return &syntax.Fault{Kind: api.KindBadLiteral, At: n.At, Found: syntax.Clip(n.Text),
		Msg: fmt.Sprintf("the number %s is out of range", syntax.Clip(n.Text))}
}

// integer returns a whole number with its type; more than 64 bits only if the
// dialect has such a type.
func (c *checker) integer(n *syntax.Node, i *big.Int, negative bool) (Expr, error) {
	if negative {
		i.Neg(i)
	}
	if i.IsInt64() {
		return smallInteger(i.Int64()), nil
	}
	if l := c.d.bigInteger(i); l != nil {
		return l, nil
	}
	return nil, c.badNumber(n)
}

// holds reports whether a whole number fits the type: engines parse a text as the
// column's own type.
func (t Type) holds(v any) bool {
	i, ok := v.(*big.Int)
	if n, small := v.(int64); small {
		i, ok = big.NewInt(n), true
	}
	if !ok || t.Unsigned && i.Sign() < 0 {
		return false
	}
	bits := t.Bits
	if !t.Unsigned {
		bits--
	}
	return i.BitLen() <= bits
}

func smallInteger(i int64) *Literal {
	bits := 64
	if i >= math.MinInt32 && i <= math.MaxInt32 {
		bits = 32
	}
	return &Literal{Value: i, T: Type{Kind: KindInt, Bits: bits}}
}

func (c *checker) decimal(n *syntax.Node, text string, negative bool) (Expr, error) {
	if _, exp, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if e, err := strconv.Atoi(exp); err != nil || e > syntax.MaxNumberDigits || e < -syntax.MaxNumberDigits {
			return nil, c.badNumber(n)
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, c.badNumber(n)
	}
	if negative {
		r.Neg(r)
	}
	return &Literal{Value: r, T: Type{Kind: KindDecimal, Scale: writtenScale(text)}}, nil
}

// writtenScale counts the fractional digits, which engines keep: 1.50 as text
// differs from 1.5.
func writtenScale(text string) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, frac, _ := strings.Cut(mantissa, ".")
	n, _ := strconv.Atoi(exponent)
	return max(0, len(frac)-n)
}

func (c *checker) typedLiteral(n *syntax.Node) (Expr, error) {
	s := n.Args[0]
	if s.Kind != syntax.String {
		return nil, &syntax.Fault{Kind: api.KindBadLiteral, At: s.At, Found: c.snippet(s), Expected: "a string",
			Msg: "a literal of a type is written with a string"}
	}
	t := c.d.typeNames[n.Text]
	switch t.Kind {
	case KindJSON:
		return nil, &syntax.Fault{Kind: api.KindBadLiteral, At: n.At, Found: "JSON", Msg: "JSON values can't be compared"}
	case KindDecimal:
		return c.numericText(s, n.Text, t)
	}
	return c.adapt(s, t)
}

// numericText reads NUMERIC '1.5'; its range is that of the type.
func (c *checker) numericText(s *syntax.Node, word string, t Type) (Expr, error) {
	text := strings.TrimSpace(s.Text)
	scale, whole := t.Scale, t.Precision-t.Scale
	r, ok := new(big.Rat).SetString(text)
	if !ok || len(text) > syntax.MaxNumberDigits || strings.ContainsAny(text, "/_xXpP") || !FitsDecimal(r, whole, scale) {
		return nil, &syntax.Fault{Kind: api.KindBadLiteral, At: s.At, Found: syntax.Clip(text), Expected: "a number in quotes",
			Msg: fmt.Sprintf("%q is not a %s", syntax.Clip(text), strings.ToUpper(word))}
	}
	return &Literal{Value: r, T: Type{Kind: KindDecimal, Precision: whole + scale}}, nil
}

// FitsDecimal reports whether r has at most that many integer and fractional
// digits.
func FitsDecimal(r *big.Rat, whole, scale int) bool {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(whole)), nil)
	if new(big.Rat).Abs(r).Cmp(new(big.Rat).SetInt(limit)) >= 0 {
		return false
	}
	shifted := new(big.Rat).Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	return shifted.IsInt()
}

// adapts reports whether a node is a text that takes the type of the other
// operand.
func (c *checker) adapts(n *syntax.Node, t Type) bool {
	if n.Kind != syntax.String {
		return false
	}
	switch t.Kind {
	case KindDate, KindDateTime, KindTimestamp, KindTime:
		return true
	case KindBool, KindInt, KindFloat, KindDecimal, KindBytes, KindInterval, KindUUID:
		return c.d.untypedText
	}
	return false
}

// adapt parses a text as a value of the type.
func (c *checker) adapt(n *syntax.Node, t Type) (Expr, error) {
	text := n.Text
	if c.d.untypedText {
		text = strings.Trim(text, " \t\n\r\f")
	}
	lit := &Literal{T: Type{Kind: t.Kind, Bits: t.Bits}}
	var ok bool
	var example string
	switch t.Kind {
	case KindDate:
		var v time.Time
		if v, ok = readDate(text); ok {
			lit.Value = v
		}
		example = "'2026-01-31'"
	case KindTime:
		var v time.Duration
		if v, ok = readTime(text, 6); ok {
			lit.Value = v
		}
		ok = ok && (!c.d.timeNeedsSeconds || strings.Count(text, ":") == 2)
		example = "'23:59:59'"
	case KindDateTime, KindTimestamp:
		return c.adaptTimestamp(n, text, t)
	case KindInterval:
		var v Interval
		if v, ok = readInterval(text); ok {
			lit.Value = v
		}
		example = "'30 days'"
	case KindUUID:
		lit.Value, ok = readUUID(text)
		example = "'123e4567-e89b-12d3-a456-426614174000'"
	case KindBytes:
		lit.Value, ok = c.d.readBytes(n.Text)
		example = c.d.bytesExample
	default:
		return c.adaptNumber(n, text, t)
	}
	if !ok {
		return nil, &syntax.Fault{Kind: api.KindBadLiteral, At: n.At, Found: syntax.Clip(n.Text), Expected: "a text such as " + example,
			Msg: fmt.Sprintf("%s is not %s", c.snippet(n), t.describe()), Hint: "Write it as " + example + "."}
	}
	return lit, nil
}

// notFinite says how NaN and infinity are tested for; "" if the text is neither.
func (c *checker) notFinite(text string) string {
	switch syntax.Lower(text) {
	case "nan":
		return equivalent(c.d, "isnan")
	case "inf", "infinity":
		return fmt.Sprintf("Write CAST('%s' AS %s).", text, CastSpelling(c.d, floatType(64)))
	}
	return ""
}

// adaptNumber parses numbers and booleans. Its error is a type mismatch, because
// the text was probably not meant as a number.
func (c *checker) adaptNumber(n *syntax.Node, text string, t Type) (Expr, error) {
	refuse := func(hint string) (Expr, error) {
		f := c.mismatch(n, Type{Kind: KindString}, t.describe())
		f.Hint = hint
		return nil, f
	}
	const unquoted = "Numbers are written without quotes."
	sign, digits := false, text
	if strings.HasPrefix(digits, "-") {
		sign, digits = true, digits[1:]
	}
	num := &syntax.Node{Kind: syntax.Number, At: n.At, End: n.End, Text: digits}
	if hint := c.notFinite(digits); t.Kind == KindFloat && hint != "" {
		return refuse(hint)
	}
	switch {
	case t.Kind == KindBool:
		switch syntax.Lower(text) {
		case "true", "t":
			return &Literal{Value: true, T: Type{Kind: KindBool}}, nil
		case "false", "f":
			return &Literal{Value: false, T: Type{Kind: KindBool}}, nil
		}
		return refuse("Write TRUE or FALSE.")
	case digits == "" || !syntax.IsDigit(digits[0]) || strings.Trim(digits, "0123456789.eE+-") != "":
	case t.Kind == KindInt && strings.Trim(digits, "0123456789") == "" && len(digits) <= 40:
		e, err := c.number(num, sign)
		if err == nil && e.Type().Kind == KindInt && t.holds(e.(*Literal).Value) {
			return e, nil
		}
	case t.Kind == KindFloat:
		f, err := strconv.ParseFloat(text, 64)
		if err == nil && !t.narrow() {
			return &Literal{Value: f, T: Type{Kind: KindFloat, Bits: 64}}, nil
		}
	case t.Kind == KindDecimal && !strings.ContainsAny(digits, "eE+-") && strings.Count(digits, ".") <= 1 &&
		len(digits) <= syntax.MaxNumberDigits:
		if c.d.roundsDecimals {
			// Only columns have a known scale.
			if r, ok := new(big.Rat).SetString(digits); !ok || !FitsDecimal(r, t.Precision-t.Scale, t.Scale) {
				return refuse(unquoted)
			}
		}
		return c.decimal(num, digits, sign)
	}
	return refuse(unquoted)
}
