package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatInitLeavesOut is listed with a way on, also where no table is left.
func TestWhatInitLeavesOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "sent/empty.csv", "")
	p.write(t, "sent/report.txt", "name  size\na        1\n")
	o := p.run("init", "sent")
	for _, want := range []string{"left out empty.csv: it is empty\n", "run 'da table map sent/report.txt' to look into it", "no parquet, CSV or JSON files with data below 'sent'"} {
		if o.code != 2 || !strings.Contains(o.stderr, want) {
			t.Errorf("exit %d without %q:\n%s", o.code, want, o.stderr)
		}
	}
	p.ok("table", "map", "sent/report.txt")
}

// TestWarningsOfASnapshot are shown with it, and by each statement that fetches.
func TestWarningsOfASnapshot(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "sent/sales.csv", "Sales of the quarter\n\nregion,amount\nNorth,1.50\nSouth,2.50\n\nTotal,4.00\n")
	p.ok("init", "sent", "--file", "sent.yaml")
	p = p.with("DA_INSTANCE=" + filepath.Join(p.dir, "sent.yaml"))
	p.ok("fetch", "sales", "--as", "mine")
	for _, args := range [][]string{{"snapshot", "show", "mine"}, {"query", "--fetch", "SELECT sum(amount) FROM sales"}, {"describe", "sales"}} {
		o := p.run(args...)
		if want := `WARN: sales.csv: 1 line after the table was passed over, the first of them "Total 4.00"`; o.code != 0 || !strings.Contains(o.stderr, want) {
			t.Errorf("%v: exit %d without %q:\n%s", args, o.code, want, o.stderr)
		}
	}
}

func (p *place) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
