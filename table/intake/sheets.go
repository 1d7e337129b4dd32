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

// otherSheets lists the shown sheets other than i that have content. It looks
// only at the first rows of the first sheets.
func otherSheets(w *xlsx.Workbook, i int) (names []string) {
	const most, rows = 50, 200
	for k, info := range w.Sheets[:min(len(w.Sheets), most)] {
		if k == i || info.Hidden {
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
