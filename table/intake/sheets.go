package intake

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/table/xlsx"
)

// chooseSheet finds a sheet by name or number; by default it is the first
// that is not hidden.
func chooseSheet(w *xlsx.Workbook, want string) (int, error) {
	names := make([]string, len(w.Sheets))
	first := -1
	for i, s := range w.Sheets {
		names[i] = s.Name
		if first < 0 && !s.Hidden {
			first = i
		}
		if s.Name == want {
			return i, nil
		}
	}
	if len(names) == 0 {
		return 0, errors.New("the workbook has no sheet")
	}
	if want == "" {
		return max(first, 0), nil
	}
	for i, n := range names {
		if strings.EqualFold(n, want) {
			return i, nil
		}
	}
	if k, err := strconv.Atoi(want); err == nil && k >= 1 && k <= len(names) {
		return k - 1, nil
	}
	e := &api.Error{
		Code: api.CodeValidation, Message: fmt.Sprintf("there is no sheet %q", want),
		Hint:    "The sheets are: " + api.Clip(strings.Join(names, ", "), 300) + ".",
		Details: map[string]any{"sheet": want, "suggestions": suggest.Near(want, names), "sheets": names},
	}
	return 0, e
}

// Stale counts the formulas of a column whose values may be wrong.
type Stale struct {
	Column   string
	Formulas int64
}

// stale lists the columns that have formulas with values.
func (s *sheetRows) stale(columns []Column) (out []Stale) {
	for i, c := range columns {
		if i < len(s.valued) && s.valued[i] > 0 {
			out = append(out, Stale{c.Name, s.valued[i]})
		}
	}
	return out
}

// otherSheets lists the sheets other than i that have content, hidden ones if hidden
// is set. It looks
// only at the first rows of the first sheets.
func otherSheets(w *xlsx.Workbook, i int, hidden bool) (names []string) {
	const most, rows = 50, 200
	for k, info := range w.Sheets[:min(len(w.Sheets), most)] {
		if k == i || info.Hidden && !hidden {
			continue
		}
		s, err := w.Sheet(k)
		if err != nil {
			continue // it says so when it is asked for
		}
		var row xlsx.Row
		for range rows {
			if s.Next(&row) != nil {
				break
			}
			if len(row.Cells) > 0 {
				names = append(names, info.Name)
				break
			}
		}
		_ = s.Close() // it was only read
	}
	return names
}

// parseRange reads B2:F100, B:F, 2:100 or B2.
func parseRange(s string) (r Range, err error) {
	if s == "" {
		return r, nil
	}
	from, to, both := strings.Cut(strings.ReplaceAll(s, "$", ""), ":")
	var ok1 bool
	ok2 := true
	r.FromCol, r.FromRow, ok1 = corner(from)
	if both {
		r.ToCol, r.ToRow, ok2 = corner(to)
	}
	if !ok1 || !ok2 || r.ToCol > 0 && r.ToCol < r.FromCol || r.ToRow > 0 && r.ToRow < r.FromRow {
		return r, &api.Error{
			Code: api.CodeValidation, Message: fmt.Sprintf("range %q is not understood", s),
			Hint: "Give two corners, as in B2:F100; B:F takes whole columns, and B2 all from there on.",
		}
	}
	return r, nil
}

func corner(s string) (col, row int, ok bool) {
	i := 0
	for i < len(s) && i < 4 && s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' {
		col = col*26 + int(s[i]|0x20-'a') + 1
		i++
	}
	if s[i:] != "" {
		n, err := strconv.Atoi(s[i:])
		if err != nil || n < 1 {
			return 0, 0, false
		}
		row = n
	}
	return col, row, s != "" && col <= xlsx.MaxColumns && row <= xlsx.MaxRows
}

// rowStrings lays the cells of a row out from the range's first column on,
// without the empty ones at the end.
func rowStrings(row *xlsx.Row, r Range) []string {
	var out []string
	from := max(r.FromCol, 1)
	for _, c := range row.Cells {
		text := row.Bytes(c)
		if c.Column < from || r.ToCol > 0 && c.Column > r.ToCol || len(text) == 0 {
			continue
		}
		for len(out) < c.Column-from {
			out = append(out, "")
		}
		out = append(out, string(text))
	}
	return out
}
