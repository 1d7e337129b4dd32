package marks_test

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/bench/marks"
)

// TestWhatGotWorseIsMarked: by more than 15 %, in the same unit, and nothing else.
func TestWhatGotWorseIsMarked(t *testing.T) {
	before, err := marks.Read(strings.NewReader(`# Before

| what | median | ratio |
|---|---|---|
| fetch | 1,000 ms | 1.00 |
| copy | 100 ms, 0.50 of it | 2.00 **+20 %** |

Text between.

| what | server |
|---|---|
| fetch | 150 MB |
| idle |  |
`))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	table := before.Table(&out, "what", "median", "ratio")
	table.Row("fetch", "1150 ms", "1.16")
	table.Row("copy", "2 s", "2.29")
	table.Row("new", "9 ms", "9")
	table = before.Table(&out, "what", "server")
	table.Row("fetch", "300 MB")
	table.Row("idle", "30 MB")
	want := `| what | median | ratio |
|---|---|---|
| fetch | 1150 ms | 1.16 **+16 %** |
| copy | 2 s | 2.29 |
| new | 9 ms | 9 |
| what | server |
|---|---|
| fetch | 300 MB **+100 %** |
| idle | 30 MB |
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
