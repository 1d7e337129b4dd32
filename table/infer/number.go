package infer

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// NumberFormat is a way of writing numbers. Values are bits, so that a column can
// record which formats all its cells allow.
type NumberFormat uint8

// The formats, in order of preference. Grouping is optional in each of them.
const (
	Dot        NumberFormat = 1 << iota // 1234.5
	CommaDot                            // 1,234.5
	DotComma                            // 1.234,5
	SpaceComma                          // 1 234,5
	SpaceDot                            // 1 234.5
	ApostDot                            // 1'234.5
	numFormats              = 6

	anyFormat    NumberFormat = 1<<numFormats - 1
	commaFormats              = DotComma | SpaceComma
	dotFormats                = anyFormat &^ commaFormats
)

// String shows how one thousand two hundred and thirty-four and a half is
// written.
func (f NumberFormat) String() string {
	switch f {
	case CommaDot:
		return "1,234.5"
	case DotComma:
		return "1.234,5"
	case SpaceComma:
		return "1 234,5"
	case SpaceDot:
		return "1 234.5"
	case ApostDot:
		return "1'234.5"
	}
	return "1234.5"
}

// FormatOf is the format that String shows so; 0 if none is.
func FormatOf(shown string) NumberFormat {
	for f := Dot; f&anyFormat != 0; f <<= 1 {
		if f.String() == shown {
			return f
		}
	}
	return 0
}

// digits counts the digits before and behind the decimal mark, and those zeros
// among them that come before all other digits.
type digits struct{ ints, frac, zeros int }

// significant counts the digits that a float has to keep: two of 0.0012.
func (d digits) significant() int { return d.ints + d.frac - d.zeros }

// number is the result of scanNumber for a cell.
type number struct {
	formats NumberFormat // formats that the cell allows; 0 if it is not a number
	// dot and comma count the digits if the decimal mark is a dot or a comma;
	// each is valid if formats has a format of that kind.
	dot, comma digits
	exp        bool
	bare       bool // its exponent has no sign, and it no point
	currency   uint8
	negative   bool
	body       []byte // without sign, brackets and currency
}

// scanNumber parses a cell without surrounding blanks.
func scanNumber(s []byte) (n number) {
	body := s
	if len(body) > 2 && body[0] == '(' && body[len(body)-1] == ')' {
		n.negative, body = true, body[1:len(body)-1]
	}
	body, n.negative = cutSign(body, n.negative)
	body, n.currency = cutCurrency(body)
	body, n.negative = cutSign(body, n.negative)
	if k := len(body); k > 1 && body[k-1] == '-' && !n.negative {
		n.negative, body = true, body[:k-1]
	}
	if len(body) == 0 || len(body) > 80 {
		return n
	}
	if s[0] == '+' && len(body) >= 8 && bytes.IndexByte(body, '.') < 0 {
		return n // a telephone number
	}
	n.body = body
	n.scan()
	return n
}

func cutSign(b []byte, neg bool) ([]byte, bool) {
	switch {
	case neg || len(b) < 2:
	case b[0] == '-' || b[0] == '+':
		return b[1:], b[0] == '-'
	case bytes.HasPrefix(b, []byte("−")):
		return b[len("−"):], true
	}
	return b, neg
}

// scan fills formats and digits from the body.
func (n *number) scan() {
	b := n.body
	count, other := 0, false
	for _, c := range b {
		if c-'0' <= 9 {
			count++
		} else if c != '.' {
			other = true
		}
	}
	switch {
	case count == 0:
	case count == len(b):
		if b[0] != '0' || count == 1 { // otherwise it is a code
			n.formats, n.dot.ints, n.comma.ints = anyFormat, count, count
		}
	case !other && count == len(b)-1:
		n.pointed(bytes.IndexByte(b, '.'))
	case n.exponent():
	default:
		n.separated()
	}
	n.dot.zeros = leadingZeros(b)
	n.comma.zeros = n.dot.zeros
}

func leadingZeros(b []byte) (zeros int) {
	for _, c := range b {
		switch {
		case c == '0':
			zeros++
		case c-'0' <= 9:
			return zeros
		}
	}
	return zeros
}

// pointed records digits with a single dot, at i: 1.234 can be of either kind.
func (n *number) pointed(i int) {
	frac := len(n.body) - i - 1
	if i > 1 && n.body[0] == '0' {
		return
	}
	n.formats, n.dot = dotFormats, digits{ints: i, frac: frac}
	if i >= 1 && i <= 3 && frac == 3 && n.body[0] != '0' {
		n.formats |= DotComma
		n.comma = digits{ints: i + 3}
	}
}

// exponent reads 1.5e-3. Without a point or a sign, as in 12E4, it is a code, unless it is
// as short as R writes 1000 beside other numbers: 1e3.
func (n *number) exponent() bool {
	i := bytes.IndexAny(n.body, "eE")
	if i <= 0 || i+1 >= len(n.body) {
		return false
	}
	mant, exp := n.body[:i], n.body[i+1:]
	signed := exp[0] == '-' || exp[0] == '+'
	if signed {
		exp = exp[1:]
	}
	if len(exp) == 0 || len(exp) > 3 || !allDigits(exp) {
		return false
	}
	p := bytes.IndexByte(mant, '.')
	n.bare = p < 0 && !signed
	switch {
	case n.bare && (i > 1 || n.body[i] != 'e' || mant[0] == '0' || exp[0] == '0' || len(exp) > 2), p < 0 && !allDigits(mant):
		return false
	case p < 0:
		p = len(mant)
	case len(mant) == 1 || !allDigits(mant[:p]) || !allDigits(mant[p+1:]):
		return false
	}
	n.formats, n.exp, n.dot = dotFormats, true, digits{ints: p, frac: max(0, len(mant)-p-1)}
	return true
}

// separated reads a number with grouping or a decimal comma.
func (n *number) separated() {
	for i := range numFormats {
		f := NumberFormat(1 << i)
		group, point := f.marks()
		d, ok := grouped(n.body, group, point)
		if !ok {
			continue
		}
		n.formats |= f
		if point == ',' {
			n.comma = d
		} else {
			n.dot = d
		}
	}
}

// marks returns the grouping character and the decimal mark of a format. A space
// means every kind of blank, 0 no grouping.
func (f NumberFormat) marks() (group, point byte) {
	switch f {
	case CommaDot:
		return ',', '.'
	case DotComma:
		return '.', ','
	case SpaceComma:
		return ' ', ','
	case SpaceDot:
		return ' ', '.'
	case ApostDot:
		return '\'', '.'
	}
	return 0, '.'
}

// separator reads the byte or rune at the start of b, as a plain blank or
// apostrophe if it is one of their kind.
func separator(b []byte) (c byte, size int) {
	if b[0] < utf8.RuneSelf {
		return b[0], 1
	}
	r, size := utf8.DecodeRune(b)
	switch r {
	case '\u00a0', '\u202f', '\u2009':
		return ' ', size
	case '’':
		return '\'', size
	}
	return 0xff, size
}

// grouped checks a number against a pair of marks and counts its digits.
func grouped(b []byte, group, point byte) (d digits, ok bool) {
	run, groups, behind := 0, 0, false
	for i := 0; i < len(b); {
		c, size := separator(b[i:])
		i += size
		switch {
		case c-'0' <= 9:
			run++
			if behind {
				d.frac++
			} else {
				d.ints++
			}
		case c == point && !behind:
			if groups > 0 && run != 3 {
				return d, false
			}
			behind, run = true, 0
		case c == group && group != 0 && !behind:
			// Groups of two are Indian: 12,34,567.
			if run == 0 || run > 3 || groups > 0 && run < 2 {
				return d, false
			}
			groups++
			run = 0
		default:
			return d, false
		}
	}
	if groups > 0 && !behind && run != 3 || d.ints > 1 && b[0] == '0' {
		return d, false
	}
	return d, d.ints+d.frac > 0
}

func allDigits(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c-'0' > 9 })
}
