package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestWhereExamplesHold fetches by each predicate that a model is shown of a table: each
// selects a row. The answer is small for a table of 20 columns.
func TestWhereExamplesHold(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.MkdirAll(filepath.Join(p.dir, "odd"), 0o700); err != nil {
		t.Fatal(err)
	}
	head, row := "id", "12"
	for i := range 19 {
		head, row = head+fmt.Sprintf(",column_%02d", i), row+[]string{",x1", ",2025-03-01", ",7.25", ",true"}[i%4]
	}
	odd := "sources:\n  lake: { type: lake, root: odd }\ntables:\n  - { id: wide, source: lake, path: wide.csv, description: Rows of 20 columns }\n  - { id: odd, source: lake, path: odd.csv }\n"
	for name, text := range map[string]string{"odd/wide.csv": head + "\n" + row + "\n" + row + "\n", "odd/odd.csv": "order,a b,when,n\nO'Hare,x,2025-01-01T10:00:00,-3\n,y,2025-01-02T10:00:00,4\n", "odd.yaml": odd} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shown := 0
	for _, table := range []string{"flights", "wide", "odd"} {
		p := p
		if table == "wide" || table == "odd" {
			p = p.with("DA_INSTANCE=" + filepath.Join(p.dir, "odd.yaml"))
		}
		var brief struct {
			Examples []string `json:"where_examples"`
		}
		text := p.with("CLAUDECODE=1").ok("describe", table)
		mustJSON(t, text, &brief)
		if table == "wide" && (len(text) > 1200 || len(brief.Examples) != 3) {
			t.Errorf("%d bytes: %s", len(text), text)
		}
		for i, where := range brief.Examples {
			shown++
			name := fmt.Sprintf("%s_%d", table, i)
			p.ok("fetch", table, "--where", where, "--as", name)
			var got []struct{ N int }
			mustJSON(t, p.ok("query", "SELECT count(*) AS n FROM "+name, "--json"), &got)
			if len(got) != 1 || got[0].N == 0 {
				t.Errorf("%s where %s: no row", table, where)
			}
		}
	}
	if shown < 7 {
		t.Errorf("only %d examples", shown)
	}
}
