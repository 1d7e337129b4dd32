package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/toolbox/fit"
)

// windowShown is what tests read of a window that fits.
type windowShown struct {
	Columns     []string
	ColumnTypes []string `json:"column_types"`
	Rows        [][]json.RawMessage
	RowCount    int  `json:"row_count"`
	HasMore     bool `json:"has_more"`
	fit.Part
}

// TestWindowsOfFilesFit holds that a window of a local file's rows fits a
// budget, that its counts are of what is shown, that the rows left out are
// accounted for, and that the command it names goes on behind the last row
// shown, up to the last one of all, whatever the file's name is to a shell.
func TestWindowsOfFilesFit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const rows, budget, odd = 250, 500, "-it's $many.csv"
	var b strings.Builder
	b.WriteString("id,letter,note,amount\n")
	for i := 1; i <= rows; i++ {
		fmt.Fprintf(&b, "%d,%c,same,%d.5\n", i, 'a'+rune(i%7), i)
	}
	if err := os.WriteFile(filepath.Join(p.dir, odd), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, first := range [][]string{
		{"table", "rows", "--max-tokens", fmt.Sprint(budget), "--", odd},
		{"table", "query", "--max-tokens", fmt.Sprint(budget), "--", odd, "SELECT * FROM data ORDER BY id"},
	} {
		text, seen, elided := p.ok(first...), 0, false
		for {
			if len(text) > budget*fit.BytesPerToken {
				t.Errorf("%d bytes for %d tokens", len(text), budget)
			}
			var w windowShown
			if err := json.Unmarshal([]byte(text), &w); err != nil {
				t.Fatal(err)
			}
			if w.RowCount != len(w.Rows) || w.RowCount == 0 || string(w.Rows[0][0]) != fmt.Sprint(seen+1) {
				t.Fatalf("%q says %d rows, has %d behind %d: %.80s", first, w.RowCount, len(w.Rows), seen, text)
			}
			if w.Constant["note"] != "same" || strings.Join(w.ColumnTypes, " ") != "integer string decimal" {
				t.Errorf("%v, %v of %v", w.Constant, w.ColumnTypes, w.Columns)
			}
			seen += w.RowCount
			if e := w.Elided; e != nil {
				elided = true
				last := seen + int(e.Rows)
				if want := fmt.Sprint((seen + 1 + last) * int(e.Rows) / 2); string(e.Columns[0].Sum) != want || string(e.Columns[0].Max) != fmt.Sprint(last) {
					t.Errorf("of rows %d to %d: %+v, want a sum of %s", seen+1, last, e.Columns[0], want)
				}
			}
			if w.HasMore != (seen < rows) || w.HasMore != (w.Rest != nil) {
				t.Fatalf("after %d rows: has_more is %t, rest %v", seen, w.HasMore, w.Rest)
			}
			if !w.HasMore {
				break
			}
			text = p.shell(w.Rest.Command)
		}
		if seen != rows || !elided {
			t.Errorf("%q: %d rows, account given: %t", first, seen, elided)
		}
	}
	if text := p.ok("table", "query", "./"+odd, "SELECT * FROM data WHERE false", "--max-tokens", "300"); !strings.Contains(text, `"columns":["id","letter","note","amount"]`) || !strings.Contains(text, `"rows":[],"row_count":0`) {
		t.Errorf("no rows: %s", text)
	}
}

// shell runs a command line, which calls da by its name, and returns its stdout.
func (p *place) shell(line string) string {
	p.t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = p.dir, append(slices.Clone(p.env), "PATH="+filepath.Dir(daPath)+string(os.PathListSeparator)+p.get("PATH"))
	o := finish(p.t, cmd)
	if o.code != 0 {
		p.t.Fatalf("%s: exit %d\n%s", line, o.code, o.stderr)
	}
	return o.stdout
}
