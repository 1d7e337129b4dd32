package sheet_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// model is a workbook as plain cells. References of formulas are pointers to rows, so
// they follow their rows without arithmetic.
type model struct {
	sheets []*modelSheet
}

type modelSheet struct {
	name string
	rows []*modelRow
}

type modelRow struct{ cells map[int]modelCell } // by column, from 1

// modelCell is a value, or a formula if it has pieces.
type modelCell struct {
	value  any
	pieces []any // texts and *modelRef
}

// modelRef names a cell or, if it has a second row, a range.
type modelRef struct {
	sheet       *modelSheet
	named       bool // the formula says which sheet
	first, last *modelRow
	from, to    string // the columns, as they are written
	fixed       string // "$" if the rows are
	dead        bool   // all of its rows are deleted
}

func (r *modelRef) String() string {
	out := ""
	if r.named {
		out = "'" + strings.ReplaceAll(r.sheet.name, "'", "''") + "'!"
	}
	if r.dead {
		return out + "#REF!"
	}
	row := func(row *modelRow) string { return fmt.Sprint(r.fixed, slices.Index(r.sheet.rows, row)+1) }
	out += r.from + row(r.first)
	if r.to != "" {
		out += ":" + r.to + row(r.last)
	}
	return out
}

func (c modelCell) formula() string {
	var b strings.Builder
	for _, piece := range c.pieces {
		fmt.Fprint(&b, piece)
	}
	return b.String()
}

// modelRows is the number of rows that sheets begin with: more than are written.
const modelRows = 60

func newModelSheet(name string) *modelSheet {
	s := &modelSheet{name: name}
	s.insert(0, modelRows)
	return s
}

func (s *modelSheet) insert(after, count int) {
	fresh := make([]*modelRow, count)
	for i := range fresh {
		fresh[i] = &modelRow{map[int]modelCell{}}
	}
	s.rows = slices.Insert(s.rows, after, fresh...)
}

// refs are the references of all formulas to a sheet.
func (m *model) refs(s *modelSheet) (all []*modelRef) {
	for _, home := range m.sheets {
		for _, row := range home.rows {
			for _, c := range row.cells {
				for _, piece := range c.pieces {
					if ref, ok := piece.(*modelRef); ok && ref.sheet == s && !ref.dead {
						all = append(all, ref)
					}
				}
			}
		}
	}
	return all
}

// remove deletes rows: what names them keeps those of its rows that are left.
func (m *model) remove(s *modelSheet, from, count int) {
	lost := s.rows[from-1 : from-1+count]
	for _, ref := range m.refs(s) {
		first, last := slices.Index(s.rows, ref.first), slices.Index(s.rows, ref.last)
		var left []*modelRow
		for _, row := range s.rows[first : last+1] {
			if !slices.Contains(lost, row) {
				left = append(left, row)
			}
		}
		if ref.dead = len(left) == 0; !ref.dead {
			ref.first, ref.last = left[0], left[len(left)-1]
		}
	}
	s.rows = slices.Delete(s.rows, from-1, from-1+count)
}

func (m *model) set(s *modelSheet, row, col int, c modelCell) {
	if c.value == nil && c.pieces == nil {
		delete(s.rows[row-1].cells, col)
		return
	}
	s.rows[row-1].cells[col] = c
}

func (m *model) names() []string {
	var out []string
	for _, s := range m.sheets {
		out = append(out, s.name)
	}
	return out
}

// check compares a workbook with the model, as this package and another one read it.
func (m *model) check(t *testing.T, what string, data []byte) {
	t.Helper()
	other, b := foreign(t, data), open(t, data)
	if got := other.GetSheetList(); !slices.Equal(got, m.names()) {
		t.Fatalf("%s: the sheets are %q, not %q", what, got, m.names())
	}
	for _, s := range m.sheets {
		read, err := b.ReadRange(s.name, fmt.Sprintf("A1:J%d", len(s.rows)), 0)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for i, row := range s.rows {
			for col := 1; col <= 10; col++ {
				at := fmt.Sprintf("%c%d", 'A'+col-1, i+1)
				c := row.cells[col]
				if got, want := fmt.Sprint(read.Values[i][col-1]), fmt.Sprint(c.value); got != want && c.formula() == "" {
					t.Fatalf("%s: %s!%s is %s, not %s", what, s.name, at, got, want)
				}
				if got, err := other.GetCellFormula(s.name, at); err != nil || got != c.formula() {
					t.Fatalf("%s: %s!%s has the formula %q, not %q (%v)", what, s.name, at, got, c.formula(), err)
				}
			}
		}
	}
}

// written is the model's workbook as another library writes it.
func (m *model) written(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, s := range m.sheets {
		err := f.SetSheetName("Sheet1", s.name)
		if i > 0 {
			_, err = f.NewSheet(s.name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range m.sheets {
		for i, row := range s.rows {
			for _, col := range slices.Sorted(maps.Keys(row.cells)) {
				at, c := fmt.Sprintf("%c%d", 'A'+col-1, i+1), row.cells[col]
				err := f.SetCellValue(s.name, at, c.value)
				if c.pieces != nil {
					err = f.SetCellFormula(s.name, at, c.formula())
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	data, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}
