package markdown

import (
	"strings"
	"testing"
)

const text = "## Late flights\nThe **most late** airport is `ORD`, with **2,736** of them, counted\nin 2 ** 3 ways, as in `a|b`, or `a ** b`.\n\n" +
	"- one that is much longer than the terminal is wide, surely\n  - two\n1. three\n\n" +
	"| airport | flights |\n|---|--:|\n| **ORD** | 2,736 |\n| a\\|b | 7 |\n\n```sql\nSELECT  **\n| 1\n```\nDone\x1b[31m."

const drawn = "Late flights\nThe most late airport is ORD, with 2,736\nof them, counted\nin 2 ** 3 ways, as in a|b, or a ** b.\n\n" +
	"- one that is much longer than the\n  terminal is wide, surely\n  - two\n1. three\n\n" +
	"airport  flights\nORD        2,736\na|b            7\n\n    SELECT  **\n    | 1\nDone\\x1b[31m.\n"

// TestDrawn draws the same, however the text comes in pieces, and words before their
// line has ended.
func TestDrawn(t *testing.T) {
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		w := New(&out, 40, false)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			w.Write(rest[:n])
			rest = rest[n:]
		}
		if err := w.Close(); err != nil || out.String() != drawn {
			t.Fatalf("pieces of %d: %v\n%s\nwant\n%s", size, err, out.String(), drawn)
		}
	}
	var out strings.Builder
	w := New(&out, 40, true)
	w.Write("The **most late** airport is")
	if got := out.String(); got != "The \x1b[1mmost\x1b[0m\x1b[1m late\x1b[0m airport" {
		t.Errorf("%q", got)
	}
}
