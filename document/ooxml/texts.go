package ooxml

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Texts converts the cells of a table, as decoded from JSON, to texts, and
// returns the number of columns of the widest row.
func Texts(rows [][]any, maxRows, maxColumns int) (out [][]string, width int, err error) {
	if len(rows) > maxRows {
		return nil, 0, Invalid("Give a part of it, or keep the rest in a workbook.", "%d rows are more than %d", len(rows), maxRows)
	}
	for i, row := range rows {
		texts := make([]string, len(row))
		for c, v := range row {
			if texts[c], err = textOf(v); err == nil {
				err = CheckText(fmt.Sprintf("row %d, column %d", i+1, c+1), texts[c])
			}
			if err != nil {
				return nil, 0, err
			}
		}
		width = max(width, len(row))
		out = append(out, texts)
	}
	if width == 0 || width > maxColumns {
		return nil, 0, Invalid("", "a table has from 1 to %d columns, not %d", maxColumns, width)
	}
	return out, width, nil
}

func textOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case json.Number:
		return v.String(), nil
	}
	return "", Invalid("", "a cell is a text, a number, true, false or null, not %T", v)
}
