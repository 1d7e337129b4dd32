package delimited

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// TestAlignedLinesLoseNothing splits random lines at random positions and gaps: every
// word is in one field, and the words are in their order.
func TestAlignedLinesLoseNothing(t *testing.T) {
	rnd := rand.New(rand.NewSource(3))
	for range 3000 {
		var lines []string
		for range 1 + rnd.Intn(5) {
			var b strings.Builder
			for range 1 + rnd.Intn(6) {
				b.WriteString(strings.Repeat(" ", rnd.Intn(4)))
				b.WriteString(strings.Repeat([]string{"a", "7", "é", "漢", "-"}[rnd.Intn(5)], 1+rnd.Intn(9)))
			}
			lines = append(lines, b.String())
		}
		d := Dialect{Delimiter: FieldMark, Gap: rnd.Intn(3)}
		if d.Gap == 0 {
			d.Cuts = []int{rnd.Intn(3)}
			for range 1 + rnd.Intn(4) {
				d.Cuts = append(d.Cuts, d.Cuts[len(d.Cuts)-1]+1+rnd.Intn(9))
			}
		}
		text := strings.Join(lines, "\n")
		var got []string
		for _, rec := range read(t, text, d, 64) {
			for _, cell := range rec {
				got = append(got, strings.Fields(cell)...)
			}
		}
		if want := strings.Fields(text); !slices.Equal(got, want) {
			t.Fatalf("%+v\n%s\ngot %q\nwant %q", d, text, got, want)
		}
	}
}
