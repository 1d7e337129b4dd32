package receipt

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// number matches a figure in a text: digits, optionally in groups, optionally
// with a fraction.
var number = lazyregexp.New(`[0-9]{1,3}(?:[,\x{00a0}\x{202f} '][0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?`)

// code matches Markdown's blocks and spans of code: what is in them is a statement
// or a name, and states no figure. A block that is not closed goes to the end.
var code = lazyregexp.New("(?s)(?m:^) *```.*?(?:\n *```|\\z)|`[^`\n]+`")

// maxFigures bounds the figures of a receipt.
const maxFigures = 200

// trace finds the figures of the answer in the results.
func (r *Receipt) trace(answers map[string]string) {
	held := map[string][]float64{}
	var calls []string
	for call, text := range answers {
		held[call] = numbersIn(text)
		calls = append(calls, call)
	}
	slices.Sort(calls)
	answer := code().ReplaceAllStringFunc(r.Answer, func(s string) string { return strings.Repeat(" ", len(s)) })
	for _, at := range number().FindAllStringIndex(answer, maxFigures) {
		if at[0] > 0 && wordByte(answer[at[0]-1]) { // part of a name
			continue
		}
		text := answer[at[0]:at[1]]
		percent := strings.HasPrefix(strings.TrimLeft(answer[at[1]:], " \u00a0"), "%")
		f := Figure{Text: text, Calls: []string{}}
		for _, call := range calls {
			if holds(held[call], text, percent) {
				f.Calls = append(f.Calls, call)
			}
		}
		r.Figures = append(r.Figures, f)
	}
}

func wordByte(c byte) bool {
	return c == '_' || c == '@' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// holds reports whether numbers contain a figure, to the precision at which it is
// written.
func holds(numbers []float64, text string, percent bool) bool {
	plain := strings.Map(func(r rune) rune {
		if r == '.' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
	want, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		return false
	}
	_, fraction, _ := strings.Cut(plain, ".")
	half := 0.5 * math.Pow(10, -float64(len(fraction)))
	near := func(x float64) bool { return math.Abs(math.Abs(x)-want) <= half*(1+1e-9) }
	return slices.ContainsFunc(numbers, func(x float64) bool { return near(x) || percent && near(x*100) })
}

// numbersIn returns the numbers in a tool's answer, including those in texts.
func numbersIn(answer string) []float64 {
	dec := json.NewDecoder(bytes.NewReader([]byte(answer)))
	dec.UseNumber()
	var out []float64
	for {
		token, err := dec.Token()
		if err != nil {
			return out
		}
		var text string
		switch t := token.(type) {
		case json.Number:
			text = string(t)
		case string:
			text = t
		default:
			continue
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			out = append(out, f)
		} else {
			for _, n := range number().FindAllString(text, 50) {
				if f, err := strconv.ParseFloat(n, 64); err == nil {
					out = append(out, f)
				}
			}
		}
	}
}
