package likely

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// digitsOf are the digits of a text.
func digitsOf(v string) (d []int) {
	for _, r := range v {
		if r >= '0' && r <= '9' {
			d = append(d, int(r-'0'))
		}
	}
	return d
}

// numberOf is the number that digits write.
func numberOf(d []int) (n int64) {
	for _, x := range d {
		n = 10*n + int64(x)
	}
	return n
}

// luhn reports whether the last digit is right, as it is of cards.
func luhn(d []int) bool {
	sum := 0
	for i := range d {
		x := d[len(d)-1-i]
		if i%2 == 1 {
			x *= 2
		}
		sum += x/10 + x%10
	}
	return len(d) > 0 && sum%10 == 0
}

// country is a national number: its form, and its checksum.
type country struct {
	country string
	form    func() *regexp.Regexp
	check   func(d []int, v string) bool // nil: the form is enough
}

// weighed is the sum of digits, each by its weight.
func weighed(d []int, weights ...int) (sum int) {
	for i, w := range weights {
		sum += d[i] * w
	}
	return sum
}

// dated reports whether two digits are a day and two others a month. Some countries add a
// number, one of added, to the month.
func dated(d []int, month, day int, added ...int) bool {
	m, n := 10*d[month]+d[month+1], 10*d[day]+d[day+1]
	return n >= 1 && n <= 31 && slices.ContainsFunc(append(added, 0), func(a int) bool { return m-a >= 1 && m-a <= 12 })
}

var countries = []country{
	{"US", lazyregexp.New(`^([0-578]\d\d|6[0-57-9]\d|66[0-57-9])-\d\d-\d{4}$`), nil},
	{"GB", lazyregexp.New(`^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]$`), nil},
	{"GB", lazyregexp.New(`^\d{3}[ -]?\d{3}[ -]?\d{4}$`), func(d []int, _ string) bool { // NHS
		return 11-weighed(d, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11 == d[9] || weighed(d, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)%11 == 0 && d[9] == 0
	}},
	{"IT", lazyregexp.New(`^[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]$`), nil},
	{"CZ", lazyregexp.New(`^\d{6}(/?\d{4}|/\d{3})$`), func(d []int, _ string) bool { // until 1953 without a checksum
		return dated(d, 2, 4, 20, 50, 70) && (len(d) == 9 || numberOf(d)%11 == 0 || numberOf(d[:9])%11 == 10 && d[9] == 0)
	}},
	{"PL", lazyregexp.New(`^\d{11}$`), func(d []int, _ string) bool {
		return dated(d, 2, 4, 20, 40, 60, 80) && weighed(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0
	}},
	{"DE", lazyregexp.New(`^[1-9]\d ?\d{3} ?\d{3} ?\d{3}$`), func(d []int, _ string) bool {
		p := 10
		for _, x := range d[:10] {
			if p = (p + x) % 10; p == 0 {
				p = 10
			}
			p = 2 * p % 11
		}
		return (11-p)%10 == d[10]
	}},
	{"ES", lazyregexp.New(`^[XYZ\d]-?\d{7}-?[A-Z]$`), func(d []int, v string) bool {
		n := numberOf(d) + 10_000_000*int64(max(0, strings.IndexByte("XYZ", v[0])))
		return "TRWAGMYFPDXBNJZSQVHLCKE"[n%23] == v[len(v)-1]
	}},
	{"FR", lazyregexp.New(`^[12] ?\d\d ?\d\d ?\d\d ?\d{3} ?\d{3} ?\d\d$`), func(d []int, _ string) bool {
		return 97-numberOf(d[:13])%97 == numberOf(d[13:])
	}},
	{"NL", lazyregexp.New(`^\d{9}$`), func(d []int, _ string) bool { return weighed(d, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0 }},
	{"BE", lazyregexp.New(`^\d{2}\.?\d{2}\.?\d{2}-?\d{3}[.-]?\d{2}$`), func(d []int, _ string) bool {
		n := numberOf(d[:9])
		return dated(d, 2, 4) && (97-n%97 == numberOf(d[9:]) || 97-(n+2_000_000_000)%97 == numberOf(d[9:]))
	}},
	{"SE", lazyregexp.New(`^(\d\d)?\d{6}[-+]?\d{4}$`), func(d []int, _ string) bool {
		d = d[len(d)-10:]
		return dated(d, 2, 4) && luhn(d)
	}},
	{"FI", lazyregexp.New(`^\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]$`), func(d []int, v string) bool {
		return dated(d, 2, 0) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[numberOf(d[:9])%31] == v[10]
	}},
	{"NO", lazyregexp.New(`^\d{6} ?\d{5}$`), func(d []int, _ string) bool {
		return dated(d, 2, 0, 40, 80) && weighed(d, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 &&
			weighed(d, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
	}},
	{"CH", lazyregexp.New(`^756\.?\d{4}\.?\d{4}\.?\d{2}$`), func(d []int, _ string) bool {
		return weighed(d, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
	}},
	{"BR", lazyregexp.New(`^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$`), func(d []int, _ string) bool {
		return weighed(d, 10, 9, 8, 7, 6, 5, 4, 3, 2)*10%11%10 == d[9] && weighed(d, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)*10%11%10 == d[10]
	}},
	{"CA", lazyregexp.New(`^\d{3}[ -]\d{3}[ -]\d{3}$`), func(d []int, _ string) bool { return luhn(d) }},
	{"RO", lazyregexp.New(`^[1-9]\d{12}$`), func(d []int, _ string) bool {
		return dated(d, 3, 5) && "01234567891"[weighed(d, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)%11] == byte('0'+d[12])
	}},
	{"BG", lazyregexp.New(`^\d{10}$`), func(d []int, _ string) bool {
		return dated(d, 2, 4, 20, 40) && weighed(d, 2, 4, 8, 5, 10, 9, 7, 3, 6)%11%10 == d[9]
	}},
	{"CN", lazyregexp.New(`^\d{17}[\dX]$`), func(d []int, v string) bool {
		return dated(d, 10, 12) && "10X98765432"[weighed(d, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11] == v[17]
	}},
}
