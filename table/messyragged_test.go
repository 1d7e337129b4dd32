package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// raggedCases are tables most of whose records have too few or too many fields:
// sensors that leave out what they did not measure, and remarks with commas that
// nobody quoted. The header tells how they are meant.
func raggedCases() []messyCase {
	var out []messyCase
	for _, odd := range []int{10, 50, 65, 75, 90, 100} {
		rnd := rand.New(rand.NewPCG(7, uint64(odd)))
		lines, want := []string{"sensor,v1,v2,v3,v4"}, [][]string{{"sensor", "v1", "v2", "v3", "v4"}}
		for i := range 200 {
			row := []string{fmt.Sprintf("s%d", i%7)}
			n := 4
			if rnd.IntN(100) < odd {
				n = 1 + rnd.IntN(3)
			}
			for range n {
				row = append(row, fmt.Sprintf("%d.%d", rnd.IntN(100), 1+rnd.IntN(9)))
			}
			lines, want = append(lines, strings.Join(row, ",")), append(want, row)
		}
		out = append(out, messyCase{"ragged", fmt.Sprintf("short %d %%", odd), []byte(strings.Join(lines, "\n") + "\n"), want})
	}
	for _, odd := range []int{10, 50, 65, 75, 90, 100} {
		rnd := rand.New(rand.NewPCG(8, uint64(odd)))
		lines, want := []string{"ts,level,msg"}, [][]string{{"ts", "level", "msg"}}
		for i := range 60 {
			row := []string{fmt.Sprintf("2024-01-01T10:00:%02d", i), []string{"INFO", "WARN"}[rnd.IntN(2)], "started"}
			if rnd.IntN(100) < odd {
				for range 1 + rnd.IntN(3) {
					row = append(row, []string{"alpha", "beta", "gamma"}[rnd.IntN(3)])
				}
			}
			for len(row) > len(want[0]) {
				want[0] = append(want[0], fmt.Sprintf("column_%d", len(want[0])+1))
			}
			line := strings.Join(row, ",")
			lines, want = append(lines, strings.Replace(line, "T", " ", 1)), append(want, row)
		}
		out = append(out, messyCase{"ragged", fmt.Sprintf("long %d %%", odd), []byte(strings.Join(lines, "\n") + "\n"), want})
	}
	return out
}
