package figures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/document/sheet"
)

type workbook struct{ *sheet.Book }

func (b workbook) receipt() (string, error) { return b.Receipt() }

func (workbook) blocks() ([]Block, error) { return nil, nil }

// compare says what became of the figures of a workbook.
func (b workbook) compare(out *Read) error {
	for i, r := range out.Receipts {
		for n, a := range r.Answers {
			if a.Area == nil || a.Values == nil {
				continue
			}
			found, err := b.area(&r.Answers[n], n)
			if err != nil {
				return err
			}
			for _, f := range found {
				f.Receipt = i
				out.Figures = append(out.Figures, f)
			}
		}
	}
	return nil
}

// area finds the figures of an answer in its range.
func (b workbook) area(a *Answer, answer int) ([]Figure, error) {
	name, cells := a.Area.Sheet, a.Area.Range
	if s, c, ok := b.Named(a.Area.Name); ok {
		name, cells = s, c
	}
	var now [][]any
	if b.Has(name) {
		read, err := b.ReadRange(name, cells, 0)
		if err != nil {
			return nil, err
		}
		now = read.Values
	}
	if a.Area.Words != nil {
		text := ""
		if len(now) > 0 && len(now[0]) > 0 {
			text = Written(now[0][0])
		}
		found := a.Area.Words.compare([]Answer{*a}, []Block{{text, name + "!" + cells}}, false)
		for i := range found {
			found[i].Answer = answer
		}
		return found, nil
	}
	at := func(row, column int) string {
		first, _, _ := strings.Cut(cells, ":")
		cell, err := sheet.Shifted(first, row, column)
		if err != nil {
			return name
		}
		return name + "!" + cell
	}
	return inRange(a, answer, now, at), nil
}

// inRange compares the values of an answer with those that a range has now.
func inRange(a *Answer, answer int, now [][]any, at func(row, column int) string) (out []Figure) {
	was := make([]token, 0, len(a.Values)*len(a.Columns))
	for _, row := range a.Values {
		for _, v := range row {
			was = append(was, cell(v))
		}
	}
	var is []token
	width := 0
	for _, row := range now {
		width = len(row)
		for _, v := range row {
			is = append(is, cell(v))
		}
	}
	to := placed(a, now, was, is)
	for i, j := range to {
		r, c := i/len(a.Columns), i%len(a.Columns)
		f := Figure{Answer: answer, Row: r, Column: c, Written: Written(a.Values[r][c]), Status: Missing}
		if j >= 0 {
			v := now[j/width][j%width]
			f.At, f.Status = at(j/width, j%width), Unchanged
			if !same(a.Values[r][c], v) {
				f.Found, f.Status = Written(v), TypedOver
			}
		}
		out = append(out, f)
	}
	return out
}

func cell(v any) token {
	s := plain(v)
	if s == "" {
		return token{kind: empty}
	}
	return token{hash: hashOf(s), kind: word}
}

// placed finds the cells of an answer in a range that may have other rows by now, or
// the same in another order.
func placed(a *Answer, now [][]any, was, is []token) []int {
	if len(now) != len(a.Values) || len(now) > 0 && len(now[0]) != len(a.Columns) {
		return align(was, is)
	}
	to := make([]int, len(was))
	for i := range to {
		to[i] = i
	}
	rows := map[string][]int{}
	for i, row := range now {
		key := keyOf(row)
		rows[key] = append(rows[key], i)
	}
	moved := slices.Clone(to)
	for r, row := range a.Values {
		same := rows[keyOf(row)]
		if len(same) == 0 {
			return to
		}
		rows[keyOf(row)] = same[1:]
		for c := range row {
			moved[r*len(row)+c] = same[0]*len(row) + c
		}
	}
	return moved
}

func keyOf(row []any) string {
	var b strings.Builder
	for _, v := range row {
		fmt.Fprintf(&b, "%q,", plain(v))
	}
	return b.String()
}
