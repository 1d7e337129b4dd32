package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sent returns a place whose instance has one file that somebody sent.
func sent(t *testing.T, name, text string) *place {
	t.Helper()
	p := newPlace(t)
	p.write(t, "sent/"+name, text)
	p.ok("init", "sent", "--file", "sent.yaml")
	return p.with("DA_INSTANCE=" + filepath.Join(p.dir, "sent.yaml"))
}

// TestWhatInitLeavesOut is listed with a way on, also where no table is left.
func TestWhatInitLeavesOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "sent/empty.csv", "")
	p.write(t, "sent/report.txt", "name  size\na        1\n")
	o := p.run("init", "sent", "--file", "sent.yaml")
	for _, want := range []string{"left out empty.csv: it is empty\n", "run 'da table map sent/report.txt' to look into it", "no parquet, CSV or JSON files with data below 'sent'"} {
		if o.code != 2 || !strings.Contains(o.stderr, want) {
			t.Errorf("exit %d without %q:\n%s", o.code, want, o.stderr)
		}
	}
	p.ok("table", "map", "sent/report.txt")
}

// TestWarningsOfASnapshot are shown with it and with a sample, by each statement
// that fetches, and to models.
func TestWarningsOfASnapshot(t *testing.T) {
	t.Parallel()
	p := sent(t, "sales.csv", "Sales of the quarter\n\nregion,amount\nNorth,1.50\nSouth,2.50\n\nTotal,4.00\n")
	p.ok("fetch", "sales", "--as", "mine")
	for _, args := range [][]string{{"snapshot", "show", "mine"}, {"query", "--fetch", "SELECT sum(amount) FROM sales"}, {"describe", "sales"}} {
		o := p.run(args...)
		if want := `WARN: sales.csv: 1 line after the table was passed over, the first of them "Total 4.00"`; o.code != 0 || !strings.Contains(o.stderr, want) {
			t.Errorf("%v: exit %d without %q:\n%s", args, o.code, want, o.stderr)
		}
	}
	s := p.mcp("--tools", "data,files,fine")
	for tool, arguments := range map[string]string{"catalog_sample": `{"table_id": "sales"}`, "get_dataset_info": `{"name": "mine"}`} {
		if doc, failed := s.call(tool, arguments); failed || !strings.Contains(string(doc), `"sales.csv: 1 line after the table was passed over, the first of them \"Total 4.00\"`) {
			t.Errorf("%s: %s", tool, doc)
		}
	}
}

// TestAnUnknownColumnOfAFile: the next step is a command that runs as it is.
func TestAnUnknownColumnOfAFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "sent/my sales.csv", "region,amount\nNorth,1.50\n")
	for _, args := range [][]string{{"stats", "sent/my sales.csv", "--columns", "x"}, {"rows", "sent/my sales.csv", "--columns", "x"}} {
		if o := p.run(append([]string{"table"}, args...)...); o.code != 2 || !strings.Contains(o.stderr, "da table map 'sent/my sales.csv'") {
			t.Errorf("%v: exit %d\n%s", args, o.code, o.stderr)
		}
	}
}

// TestAQuietFetch says nothing but its result.
func TestAQuietFetch(t *testing.T) {
	t.Parallel()
	p := sent(t, "plain.csv", "region,amount\nNorth,1.50\nSouth,2.50\n")
	if o := p.run("fetch", "plain", "--as", "mine", "--quiet"); o.code != 0 || o.stderr != "" {
		t.Errorf("exit %d, and stderr has\n%s", o.code, o.stderr)
	}
}

// TestAPredicateThatNoLongerFits: a refresh names no predicate, so the error says
// which one is meant, and how to store another.
func TestAPredicateThatNoLongerFits(t *testing.T) {
	t.Parallel()
	p := sent(t, "sales.csv", "region,amount\nNorth,1.50\nSouth,2.50\n")
	p.ok("fetch", "sales", "--where", "amount > 2", "--as", "mine")
	for _, text := range []string{"region,amount\nNorth,1.50x\nSouth,2.50x\n", "region,total\nNorth,1.50\nSouth,2.50\n"} {
		p.write(t, "sent/sales.csv", text)
		o := p.run("snapshot", "refresh", "mine")
		for _, want := range []string{"the predicate of snapshot 'mine', amount > 2, no longer fits sales: ", "The snapshot is unchanged. Run 'da snapshot refresh mine --where PREDICATE --accept-drift' to store another predicate."} {
			if o.code != 2 || !strings.Contains(o.stderr, want) {
				t.Errorf("exit %d without %q:\n%s", o.code, want, o.stderr)
			}
		}
	}
	p.ok("snapshot", "refresh", "mine", "--where", "total > 2", "--accept-drift")
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
