package pdf

import (
	"strings"
	"testing"
)

// at is a line at a height from the top.
func at(y, left, right float64, text string) line {
	return line{text: text, left: left, right: right, y: y}
}

// TestPagesAreReadInOrder holds that what was drawn in another order is read from
// the top down, and that columns stay together.
func TestPagesAreReadInOrder(t *testing.T) {
	for name, c := range map[string]struct {
		lines []line
		want  string // empty: as they were drawn
	}{
		"as read":               {[]line{at(10, 0, 50, "a"), at(20, 0, 50, "b")}, ""},
		"bottom up":             {[]line{at(30, 0, 50, "c"), at(20, 0, 50, "b"), at(10, 0, 50, "a")}, "a b c"},
		"footer first":          {[]line{at(90, 0, 50, "foot"), at(10, 0, 50, "a"), at(20, 0, 50, "b")}, "a b foot"},
		"a cell first":          {[]line{at(20, 60, 80, "B2"), at(10, 0, 80, "A1 B1"), at(20, 0, 20, "A2"), at(30, 0, 80, "A3 B3")}, "A1 B1 A2 B2 A3 B3"},
		"columns":               {[]line{at(10, 0, 40, "l1"), at(20, 0, 40, "l2"), at(10, 60, 90, "r1"), at(20, 60, 90, "r2")}, ""},
		"columns, right first":  {[]line{at(10, 60, 90, "r1"), at(20, 60, 90, "r2"), at(10, 0, 40, "l1"), at(20, 0, 40, "l2")}, "l1 l2 r1 r2"},
		"columns, heading last": {[]line{at(20, 0, 40, "l1"), at(30, 0, 40, "l2"), at(20, 60, 90, "r1"), at(30, 60, 90, "r2"), at(5, 0, 90, "head")}, "head l1 l2 r1 r2"},
		"bottom up to a table":  {[]line{at(30, 0, 50, "c"), at(20, 0, 50, "b"), at(10, 0, 50, "a"), at(40, 0, 50, "d"), at(50, 0, 50, "e")}, "a b c d e"},
		"turned":                {nil, ""},
	} {
		if got := strings.Join(strings.Fields(ordered(c.lines)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
