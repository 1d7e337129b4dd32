package text

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestTheAutomatonMatchesAsRegexpDoes compares random expressions over random
// lines, with room for all states and with next to none.
func TestTheAutomatonMatchesAsRegexpDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "ab", ".", "[ab]", "[^a]", "[0-9]", `\d+`, `\w`, `\W`, `\b`, `\B`, "^", "$", `\s`, "k", "s", "ž", "İ", `\pL`, `\p{Han}`, "東", "�", "(?i:k)", "(?i:aé)", "(?m:^)", "(?m:$)", `\A`, `\z`, "(?s:.)", "", "a{2,3}", "[^\\n]", `\x{10FFFF}`}
	var expression func(depth int) string
	expression = func(depth int) string {
		if depth == 0 {
			return pieces[r.IntN(len(pieces))]
		}
		one := func() string { return expression(r.IntN(depth)) }
		switch r.IntN(6) {
		case 0:
			return "(" + one() + "|" + one() + ")"
		case 1:
			return "(?:" + one() + ")" + []string{"*", "+", "?", "{0,3}", "{2}"}[r.IntN(5)]
		case 2:
			return "(?i:" + one() + ")"
		}
		return one() + one()
	}
	letters := []string{"a", "b", "A", "K", "K", "s", "ſ", "0", "9", " ", "_", "é", "É", "ž", "İ", "i", "東", "�", "\xff", "\xe6\x9d", "\n", "\r", "\U0010FFFF"}
	matched := 0
	for range 3000 {
		expr := expression(4)
		re, err := regexp.Compile(expr)
		if err != nil {
			continue // repeated too often
		}
		large, small := newAutomaton(expr, re, roomForStates), newAutomaton(expr, re, 10)
		if large.width == 0 {
			t.Fatalf("%q has no automaton", expr)
		}
		for range 30 {
			var line strings.Builder
			for range r.IntN(12) {
				line.WriteString(letters[r.IntN(len(letters))])
			}
			want := re.MatchString(line.String())
			if want {
				matched++
			}
			if got := large.match([]byte(line.String())); got != want {
				t.Fatalf("%q in %q: %v, not %v", expr, line.String(), got, want)
			}
			small.resets = 0 // so that regexp is not asked
			if got := small.match([]byte(line.String())); got != want {
				t.Fatalf("%q in %q, with resets: %v, not %v", expr, line.String(), got, want)
			}
		}
	}
	if matched < 1000 {
		t.Errorf("only %d lines matched", matched)
	}
}

// TestTheAutomatonGivesUp has an expression with more states than there is room for.
func TestTheAutomatonGivesUp(t *testing.T) {
	expr := "(a|b)*a(a|b){20}c"
	a := newAutomaton(expr, regexp.MustCompile(expr), 1<<10)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		line := make([]byte, 100)
		for i := range line {
			line[i] = "ab"[r.IntN(2)]
		}
		line = append(line, 'c')
		if got, want := a.match(line), a.re.Match(line); got != want {
			t.Fatalf("%s: %v, not %v", line, got, want)
		}
	}
	if a.resets != mostResets+1 {
		t.Errorf("%d resets", a.resets)
	}
	if size := len(a.next) + len(a.states); size > 1<<13 {
		t.Errorf("%d numbers", size)
	}
}

// TestHugeClassesAreLeftToRegexp has more to prepare than a search is worth: many
// classes of many letters. One class that is repeated is not too much.
func TestHugeClassesAreLeftToRegexp(t *testing.T) {
	var many strings.Builder
	for i := range 600 {
		fmt.Fprintf(&many, `[\pL\x{%x}]`, 0xF0000+2*i)
	}
	for expr, fits := range map[string]bool{many.String(): false, `\pL{600}`: true} {
		a := newAutomaton(expr, regexp.MustCompile(expr), roomForStates)
		if got := a.width > 0; got != fits {
			t.Errorf("%.20s has an automaton: %v", expr, got)
		}
		if !a.match([]byte(strings.Repeat("é", 601))) || a.match([]byte(strings.Repeat("é", 599))) {
			t.Errorf("%.20s matches wrongly", expr)
		}
	}
}
