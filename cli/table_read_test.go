package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/tables"
	"github.com/agnes-data/da/table"
)

// TestStatisticsFitATerminal shows statistics of usual columns as a table on 80
// columns, where fewer of them fit.
func TestStatisticsFitATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "customer_name,amount_in_usd,ordered_at\nAnn,1234567.25,2024-03-01 10:11:12\nBob,22.50,2024-03-02 01:02:03\nCy,3.75,2024-04-02 01:02:03\n"
	if err := os.WriteFile(filepath.Join(dir, "orders.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ts, err := table.New(table.Config{Dir: filepath.Join(dir, "kept"), WorkDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer ts.Close()
	st, err := ts.Stats(context.Background(), table.StatsRequest{Source: table.Source{Path: "orders.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	for width, fewer := range map[int]bool{80: true, 100: true, 200: false} {
		var b bytes.Buffer
		summary, err := output.WriteList(context.Background(), &b, tables.StatsList(st, false), output.Table, output.Options{Width: width, Terminal: true})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "[ row") || len(summary.LeftOut) > 0 != fewer {
			t.Errorf("at %d %v was left out:\n%s", width, summary.LeftOut, b.String())
		}
	}
}

// TestTheTimeOfReadingAFileCanBeSet ends what reads a file by --timeout, which
// is what the error names, whatever the command.
func TestTheTimeOfReadingAFileCanBeSet(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "sales.csv"), []byte("id,amount\n1,2.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"table map sales.csv", "table describe sales.csv", "table stats sales.csv", "table rows sales.csv", "table rows sales.csv -o csv",
		"table query sales.csv SELECT_1_FROM_data", "table export sales.csv --out x.csv",
	} {
		args := words(line)
		if o := p.run(append(args, "--timeout", "1ns")...); o.code != exit.Server || !strings.Contains(o.stderr, "Pass --timeout to allow more time") {
			t.Errorf("da %s: %+v", line, o)
		}
		if o := p.run(append(args, "--timeout", "-1s")...); o.code != 2 || !strings.Contains(o.stderr, "--timeout must be more than nothing") {
			t.Errorf("da %s: %+v", line, o)
		}
	}
}
