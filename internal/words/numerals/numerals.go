// Package numerals reads numbers as people write them: points and commas are marks
// of a fraction or between groups of digits, depending on the language.
// It does not say which of several meanings a text has.
package numerals

import (
	"math"
	"strconv"
	"strings"
)

// Reading is a number that a text can mean, and half of its last digit.
type Reading struct{ Value, Half float64 }

// Holds reports whether the number, read with one of the factors, is x rounded.
// Signs do not count.
func (r Reading) Holds(x, factor float64) bool {
	return math.Abs(math.Abs(x)/factor-r.Value) <= r.Half*(1+1e-9)
}

// Readings returns the numbers that a text can mean.
func Readings(text string) (out []Reading) {
	text = strings.Map(func(r rune) rune {
		if r == '.' || r == ',' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
	digits := func(s string) string { return strings.NewReplacer(",", "", ".", "").Replace(s) }
	at := strings.LastIndexAny(text, ".,")
	if at < 0 || strings.Count(text, text[at:at+1]) > 1 {
		return appendReading(nil, digits(text), "")
	}
	if text[at+1:] != "000" {
		out = appendReading(nil, digits(text[:at]), text[at+1:])
	}
	if len(text)-at == 4 && at < 4 && text[0] != '0' {
		out = appendReading(out, digits(text), "")
	}
	return out
}

func appendReading(out []Reading, whole, fraction string) []Reading {
	value, err := strconv.ParseFloat(whole+"."+fraction, 64)
	if err != nil {
		return out
	}
	return append(out, Reading{value, 0.5 * math.Pow(10, -float64(len(fraction)))})
}

// scales are the words that a number can be scaled by.
var scales = []struct {
	word   string
	factor float64
}{
	{"%", 0.01}, {"percent", 0.01},
	{"thousand", 1e3}, {"k", 1e3}, {"Tsd", 1e3}, {"million", 1e6}, {"Mio", 1e6}, {"M", 1e6}, {"billion", 1e9}, {"bn", 1e9}, {"Mrd", 1e9},
	{"trillion", 1e12},
}

// Factors are what a number before that text can be multiplied by: 1, and what its
// first word says.
func Factors(behind string) []float64 {
	factors := []float64{1}
	behind = strings.TrimLeft(behind, " \u00a0")
	for _, w := range scales {
		if strings.HasPrefix(behind, w.word) {
			factors = append(factors, w.factor)
		}
	}
	return factors
}
