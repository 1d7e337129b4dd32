package sheet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRandomEditsAsInAModel applies random operations to random workbooks and to
// plain cells: values, formulas, rows and sheets come and go, and lists with a
// mistake at their end change nothing. DA_WORKBOOKS makes it longer.
func TestRandomEditsAsInAModel(t *testing.T) {
	books := 25
	if text := os.Getenv("DA_WORKBOOKS"); text != "" {
		var err error
		if books, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(books) { //nolint:gosec // small
		r := &random{Rand: rand.New(rand.NewPCG(seed, 1)), model: &model{}}
		data := r.book(t)
		for call := range 4 {
			if what := fmt.Sprintf("workbook %d, call %d", seed, call); r.IntN(5) == 0 {
				r.refused(t, what, data)
			} else {
				var ops []string
				for range 1 + r.IntN(6) {
					ops = append(ops, r.operation())
				}
				what += ": " + strings.Join(ops, "\n")
				next, _, err := tryEdit(t, data, "["+strings.Join(ops, ",")+"]")
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				data = next
				r.check(t, what, data)
			}
		}
	}
}

// random makes operations, and does the same in a model.
type random struct {
	*rand.Rand
	*model
	made int // sheets
}

// book is a new workbook: an empty one, or one that another library has written.
func (r *random) book(t *testing.T) []byte {
	t.Helper()
	if r.IntN(3) == 0 {
		r.sheets = []*modelSheet{newModelSheet("Sheet1")}
		return blank(t)
	}
	for range 1 + r.IntN(3) {
		r.sheets = append(r.sheets, newModelSheet(r.name()))
	}
	for _, s := range r.sheets {
		for range r.IntN(40) {
			r.set(s, 1+r.IntN(20), 1+r.IntN(8), r.content(s))
		}
	}
	return r.written(t)
}

func (r *random) name() string {
	r.made++
	return fmt.Sprintf([]string{"Data%d", "my sheet %d", "Ann's %d", "Größe%d", "A%d"}[r.IntN(5)], r.made)
}

func (r *random) sheet() *modelSheet { return r.sheets[r.IntN(len(r.sheets))] }

func (r *random) value() any {
	return []any{nil, true, r.IntN(1000), fmt.Sprintf("t%d", r.IntN(99)), "=A1+1", " <&> ", 0.5, -0.25}[r.IntN(8)]
}

// content is a value or, as often, a formula.
func (r *random) content(home *modelSheet) modelCell {
	if r.IntN(2) == 0 {
		return modelCell{value: r.value()}
	}
	return modelCell{pieces: []any{"SUM(", r.ref(home), ")*", r.ref(home), `&"A1 "&LOG10(2)`}}
}

func (r *random) ref(home *modelSheet) *modelRef {
	ref := &modelRef{sheet: home, from: string(rune('A' + r.IntN(8))), fixed: []string{"", "$"}[r.IntN(2)]}
	if r.IntN(2) == 0 {
		ref.sheet, ref.named = r.sheet(), true
	}
	first := r.IntN(25)
	last := first
	if r.IntN(2) == 0 {
		ref.to, last = "$H", first+r.IntN(6)
	}
	ref.first, ref.last = ref.sheet.rows[first], ref.sheet.rows[last]
	return ref
}

// operation is one that a workbook takes, applied to the model.
func (r *random) operation() string {
	s := r.sheet()
	name, _ := json.Marshal(s.name)
	switch r.IntN(9) {
	case 0:
		after, count := r.IntN(22), 1+r.IntN(3)
		s.insert(after, count)
		return fmt.Sprintf(`{"op": "insert_rows", "sheet": %s, "after_row": %d, "count": %d}`, name, after, count)
	case 1:
		from, count := 1+r.IntN(22), 1+r.IntN(3)
		r.remove(s, from, count)
		s.insert(len(s.rows), count) // a sheet has no end
		return fmt.Sprintf(`{"op": "delete_rows", "sheet": %s, "start_row": %d, "count": %d}`, name, from, count)
	case 2:
		return fmt.Sprintf(`{"op": "set_format", "sheet": %s, "range": "%c1:D%d", "format": {"bold": true}}`, name, 'A'+r.IntN(3), 1+r.IntN(12))
	case 3:
		made := newModelSheet(r.name())
		r.sheets = append(r.sheets, made)
		return fmt.Sprintf(`{"op": %q, "sheet": %q}`, []string{"ensure_sheet", "add_sheet"}[r.IntN(2)], made.name)
	case 4:
		if len(r.sheets) == 1 {
			return fmt.Sprintf(`{"op": "ensure_sheet", "sheet": %s}`, name)
		}
		r.sheets = slices.DeleteFunc(r.sheets, func(other *modelSheet) bool { return other == s })
		return fmt.Sprintf(`{"op": "delete_sheet", "sheet": %s}`, name)
	case 5, 6:
		return fmt.Sprintf(`{"op": "set_cells", "sheet": %s, "cells": %s}`, name, r.cells(s))
	}
	return r.block(s, string(name))
}

// cells are those of set_cells.
func (r *random) cells(s *modelSheet) string {
	var all []map[string]any
	for range 1 + r.IntN(4) {
		row, col, c := 1+r.IntN(22), 1+r.IntN(8), r.content(s)
		set := map[string]any{"cell": fmt.Sprintf("%c%d", 'A'+col-1, row)}
		if c.pieces != nil {
			set["formula"] = c.formula()
		} else {
			set["value"] = c.value
		}
		r.set(s, row, col, c)
		all = append(all, set)
	}
	text, _ := json.Marshal(all)
	return string(text)
}

// block is a set_range.
func (r *random) block(s *modelSheet, name string) string {
	row, col := 1+r.IntN(20), 1+r.IntN(6)
	var all [][]any
	for i := range 1 + r.IntN(3) {
		var line []any
		for j := range 1 + r.IntN(3) {
			v := r.value()
			line = append(line, v)
			r.set(s, row+i, col+j, modelCell{value: v})
		}
		all = append(all, line)
	}
	text, _ := json.Marshal(all)
	return fmt.Sprintf(`{"op": "set_range", "sheet": %s, "start": "%c%d", "values": %s}`, name, 'A'+col-1, row, text)
}

// refused tries a list whose last operation is a mistake.
func (r *random) refused(t *testing.T, what string, data []byte) {
	t.Helper()
	before := bytes.Clone(data)
	name, _ := json.Marshal(r.sheet().name)
	good := fmt.Sprintf(`{"op": "set_range", "sheet": %s, "values": [["lost"]]}, {"op": "insert_rows", "sheet": %s, "after_row": 0}`, name, name)
	mistake := []string{
		`{"op": "delete_rows", "start_row": 0}`, `{"op": "set_cells", "sheet": "not there", "cells": [{"cell": "A1"}]}`,
		`{"op": "set_cells", "cells": [{"cell": "XFE1", "value": 1}]}`, `{"op": "add_sheet", "sheet": "a/b"}`, `{"op": "turn"}`,
		fmt.Sprintf(`{"op": "add_sheet", "sheet": %s}`, name), `{"op": "insert_rows", "after_row": 1048575, "count": 5}, {"op": "set_cells", "cells": [{"cell": "A1048577"}]}`,
	}[r.IntN(7)]
	if _, _, err := tryEdit(t, data, "["+good+","+mistake+"]"); err == nil {
		t.Fatalf("%s: taken: %s", what, mistake)
	}
	if !bytes.Equal(before, data) {
		t.Fatalf("%s: the workbook has changed", what)
	}
	r.check(t, what, data)
}
