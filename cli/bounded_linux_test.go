package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/xuri/excelize/v2"
)

// mostMemory is what a command may take for a small file, in kB.
const mostMemory = 800_000

// peak runs a command and returns its outcome and the most memory that it took, in
// kB.
func (p *place) peak(args ...string) (outcome, int64) {
	p.t.Helper()
	cmd := p.command(args...)
	o := finish(p.t, cmd)
	return o, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}

// TestCellsThatShareALongText: what a few kilobytes of a workbook stand for is read
// row by row.
func TestCellsThatShareALongText(t *testing.T) {
	p := newPlace(t)
	make := func(name string, rows, columns int) {
		t.Helper()
		w := excelize.NewFile()
		text := strings.Repeat("x", 30_000)
		for row := range rows {
			for column := range columns {
				cell, err := excelize.CoordinatesToCellName(column+1, row+1)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.SetCellStr("Sheet1", cell, text); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.SaveAs(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	make("long.xlsx", 400, 100)
	make("wide.xlsx", 3, 2000)
	for _, c := range []struct{ args, says string }{
		{"table map long.xlsx", "400 rows, 100 columns"},
		{"snapshot import long.xlsx --as long", "400 rows"},
		{"table map wide.xlsx", "row 1: its cells have more than 16 MiB of text"},
		{"snapshot import wide.xlsx --as wide", "row 1: its cells have more than 16 MiB of text"},
	} {
		o, kB := p.peak(strings.Fields(c.args)...)
		if (o.code == 0) != strings.Contains(c.args, "long") || !strings.Contains(o.stdout+o.stderr, c.says) || kB > mostMemory {
			t.Errorf("da %s: exit %d, %d kB\n%.1000s%s", c.args, o.code, kB, o.stdout, o.stderr)
		}
	}
}
