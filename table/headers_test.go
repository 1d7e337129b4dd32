package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
)

// headed is a random table of which it is known what names its columns.
type headed struct {
	class  string  // the form of its header
	titles [][]any // rows above it
	names  [][]any // rows of the header
	rows   [][]any
	footer [][]any
}

// silentlyWrong is how many tables of a thousand may have another header, or other
// rows, than they have here, without any caveat that says that it is guessed.
const silentlyWrong = 1

// TestHeadersAreRightOrGuessed makes random tables with headers of all forms:
// DA_HEADERS is their number, DA_HEADERS_SEED repeats a run.
func TestHeadersAreRightOrGuessed(t *testing.T) {
	count, seed := 200, uint64(7)
	if n, err := strconv.Atoi(os.Getenv("DA_HEADERS")); err == nil {
		count, seed = n, uint64(time.Now().UnixNano())
	}
	if n, err := strconv.ParseUint(os.Getenv("DA_HEADERS_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("DA_HEADERS=%d DA_HEADERS_SEED=%d", count, seed)
	ts, dir := newTables(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	all, silent := map[string]int{}, map[string]int{}
	wrong := 0
	for i := range count {
		h := newHeaded(rng)
		path := h.write(t, dir, fmt.Sprint(i), []string{"csv", "csv", "tsv", "xlsx"}[rng.IntN(4)], rng)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: path}})
		if err != nil {
			t.Fatalf("%s (%s): %v", path, h.class, err)
		}
		all[h.class]++
		if fault := h.fault(m); fault != "" && !h.said(m) {
			wrong++
			silent[h.class]++
			if wrong <= 10 {
				t.Logf("table %d, %s: %s; %d rows, caveats %q\n%s", i, filepath.Ext(path), fault, m.RowCount, warningsOf(m), h.text(','))
			}
		}
		if err := os.Remove(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	for class, n := range all {
		t.Logf("%4d of %5d tables silently wrong: %s", silent[class], n, class)
	}
	if wrong*1000 > silentlyWrong*count {
		t.Errorf("%d of %d tables are silently wrong, more than %d of 1000", wrong, count, silentlyWrong)
	}
}

// fault says what is not as it was written.
func (h *headed) fault(m *Map) string {
	switch rows := max(1, m.HeaderRows); {
	case m.HasHeader != (len(h.names) > 0):
		return fmt.Sprintf("header %v", m.HasHeader)
	case m.HasHeader && rows != len(h.names):
		return fmt.Sprintf("%d rows of the header, not %d", rows, len(h.names))
	case m.RowCount != int64(len(h.rows)):
		return fmt.Sprintf("not %d rows", len(h.rows))
	case len(h.names) == 1:
		for i, name := range h.names[0] {
			if s := fmt.Sprint(name); s != "" && !strings.HasPrefix(m.Columns[i].Name, s) {
				return fmt.Sprintf("column %q, not %q", m.Columns[i].Name, s)
			}
		}
	}
	return ""
}

// said is whether a caveat tells that the header is guessed, or that rows were taken
// for titles or remarks.
func (h *headed) said(m *Map) bool {
	return len(m.Preamble) > len(h.titles) || len(m.Footer) > len(h.footer) ||
		slices.ContainsFunc(m.Caveats, func(c api.Caveat) bool {
			return c.Kind == api.CaveatGuessed && !strings.Contains(c.Text, "ambiguous")
		})
}

func newHeaded(rng *rand.Rand) *headed {
	h := &headed{}
	columns := make([]func(row int) any, 2+rng.IntN(6))
	numbers := func(int) any { return rng.IntN(900) + 100 }
	for j := range columns {
		columns[j] = []func(int) any{
			numbers, func(int) any { return float64(rng.IntN(90000)) / 100 },
			func(row int) any { return time.Date(2023, 1, 1+row*3+j, 0, 0, 0, 0, time.UTC).Format("2006-01-02") },
			func(int) any { return []string{"yes", "no"}[rng.IntN(2)] },
			func(int) any {
				return []string{"Oslo", "Rome", "Bern", "Prague", "New York", "Ulm"}[rng.IntN(6)]
			},
			func(row int) any { return fmt.Sprintf("%c%03d", 'A'+j, row+1) },
		}[rng.IntN(6)]
	}
	words := []string{"id", "name", "region", "amount", "day", "state", "quantity", "kind", "height", "weather", "owner", "zeta"}
	rng.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
	names := make([]any, len(columns))
	for j := range names {
		names[j] = words[j]
	}
	values := func(value func(j int) any) { // names that are values stand over numbers
		for j := 1; j < len(names); j++ {
			names[j], columns[j] = value(j), numbers
		}
	}
	h.names = [][]any{names}
	forms := []string{"names", "years", "dates", "counted", "booleans", "repeated", "missing", "none", "groups", "units"}
	h.class = forms[rng.IntN(len(forms))]
	switch h.class {
	case "years":
		values(func(j int) any { return 2015 + j })
	case "dates":
		values(func(j int) any { return fmt.Sprintf("2024-%02d-01", j) })
	case "counted":
		values(func(j int) any { return j })
	case "booleans":
		values(func(j int) any { return j%2 == 0 })
	case "repeated":
		names[len(names)-1] = names[0]
	case "missing":
		names[rng.IntN(len(names))] = ""
	case "none":
		h.names = nil
	case "groups":
		group := make([]any, len(names))
		for j := range names {
			if group[j] = ""; j > 0 {
				group[j], names[j], columns[j] = fmt.Sprint(2020+(j-1)/2), []string{"plan", "actual"}[j%2], numbers
			}
		}
		h.names = [][]any{group, names}
	case "units":
		units := make([]any, len(names))
		for j := range names {
			if units[j] = ""; j > 0 {
				units[j], columns[j] = []string{"kg", "EUR", "%", "m"}[rng.IntN(4)], numbers
			}
		}
		h.names = append(h.names, units)
	}
	holes := rng.IntN(4) == 0
	for i := range 3 + rng.IntN(12) {
		row := make([]any, len(columns))
		for j, value := range columns {
			if row[j] = value(i); holes && j > 0 && rng.IntN(8) == 0 {
				row[j] = ""
			}
		}
		h.rows = append(h.rows, row)
	}
	if rng.IntN(4) == 0 {
		h.class += ", a title"
		h.titles = [][]any{{"Figures of the year"}}
	}
	if rng.IntN(4) == 0 {
		h.class += ", a footer"
		h.footer = [][]any{{"Source: the ministry of works, figures are not final."}}
	}
	return h
}

// lines are all rows; nil is an empty one.
func (h *headed) lines() [][]any {
	lines := slices.Concat(h.titles, h.names, h.rows)
	if len(h.titles) > 0 {
		lines = slices.Insert(lines, len(h.titles), nil)
	}
	if len(h.footer) > 0 {
		lines = append(append(lines, nil), h.footer...)
	}
	return lines
}

func (h *headed) text(comma rune) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = comma
	for _, line := range h.lines() {
		cells := make([]string, len(line))
		for j, c := range line {
			cells[j] = fmt.Sprint(c)
		}
		_ = w.Write(cells) // into memory
	}
	w.Flush()
	return b.String()
}

func (h *headed) write(t *testing.T, dir, name, format string, rng *rand.Rand) string {
	t.Helper()
	name += "." + format
	switch format {
	case "csv":
		write(t, dir, name, h.text([]rune{',', ';'}[rng.IntN(2)]))
	case "tsv":
		write(t, dir, name, h.text('\t'))
	default:
		f := excelize.NewFile()
		for i, line := range h.lines() {
			for j, c := range line {
				at, _ := excelize.CoordinatesToCellName(j+1, i+1)
				if c == "" {
					continue
				}
				if err := f.SetCellValue("Sheet1", at, c); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := f.SaveAs(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return name
}
