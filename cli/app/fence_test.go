package app

import (
	"strings"
	"testing"
)

// TestMarkedIsMostlyTheAnswer bounds what stands around an answer, but for the two
// marks themselves.
func TestMarkedIsMostlyTheAnswer(t *testing.T) {
	const marks = len(`"begin":"<data-0123456789ab>",,"end":"</data-0123456789ab>"`)
	for _, n := range []int{1, 100, 500, 1_000, 5_000} {
		doc := `{"rows":["` + strings.Repeat("x", n) + `"]}`
		got := string(marked([]byte(doc)))
		if around := len(got) - len(doc); around > marks && 4*around > len(got) {
			t.Errorf("%d of %d bytes are not of the answer: %.120s", around, len(got), got)
		}
		if said := strings.Contains(got, `"notice"`); said != (n >= 1_000) {
			t.Errorf("%d bytes, with a notice: %v", n, said)
		}
	}
}
