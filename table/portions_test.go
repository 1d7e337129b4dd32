package table

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestWide describes a table that is wide enough to be taken in portions, and
// one that has the same first columns and is not.
func TestWide(t *testing.T) {
	ts, dir := newTables(t)
	file := func(name string, width int) {
		var b strings.Builder
		for row := range 51 {
			for j := range width {
				if j > 0 {
					b.WriteByte(',')
				}
				switch v := (row * (j + 3)) % (j + 2); {
				case row == 0:
					fmt.Fprintf(&b, "c%d", j)
				case v == 1 && j%2 == 0: // missing
				case j%5 == 0:
					fmt.Fprintf(&b, "v%d", v)
				case j%5 == 1:
					fmt.Fprintf(&b, "%d.25", v)
				case j%5 == 2:
					fmt.Fprintf(&b, "2024-01-%02d", v%28+1)
				case j%5 == 3:
					fmt.Fprintf(&b, "%d.123456", v)
				default:
					fmt.Fprint(&b, v)
				}
			}
			b.WriteByte('\n')
		}
		write(t, dir, name, b.String())
	}
	file("narrow.csv", 50)
	file("wide.csv", wide+portionColumn+50)
	ctx := context.Background()
	d1, err1 := ts.Describe(ctx, DescribeRequest{Source: Source{Path: "narrow.csv"}})
	d2, err2 := ts.Describe(ctx, DescribeRequest{Source: Source{Path: "wide.csv"}})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if a, b := show(t, d1.Columns), show(t, d2.Columns[:50]); a != b {
		t.Errorf("described in portions: %s\nat once: %s", b, a)
	}
	s1, err1 := ts.Stats(ctx, StatsRequest{Source: Source{Path: "narrow.csv"}})
	s2, err2 := ts.Stats(ctx, StatsRequest{Source: Source{Path: "wide.csv"}})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if a, b := show(t, s1.Columns), show(t, s2.Columns[:50]); a != b {
		t.Errorf("statistics in portions: %s\nat once: %s", b, a)
	}
	for i, c := range d2.Columns {
		if c.DistinctEstimate != s2.Columns[i].DistinctEstimate {
			t.Errorf("%s: %d and %d different values", c.Name, c.DistinctEstimate, s2.Columns[i].DistinctEstimate)
		}
	}
}
