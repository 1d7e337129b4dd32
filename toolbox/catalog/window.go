package catalog

import (
	"encoding/json"

	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/toolbox/tool"
)

// window has a few rows in compact form, cut to a budget. Results of any length
// use package fit.
type window struct {
	Columns   []string            `json:"columns"`
	Rows      [][]json.RawMessage `json:"rows" jsonschema:"a value for each of columns"`
	RowsTotal int64               `json:"rows_total"`
	RowsShown int64               `json:"rows_shown"`
	fitting
}

// fitting says what is missing of the requested rows.
type fitting struct {
	Truncated bool  `json:"truncated" jsonschema:"rows that were asked for, or parts of cells, are missing for lack of room"`
	CellsCut  int64 `json:"cells_cut,omitempty" jsonschema:"cells that are cut; each is an object with start and chars, its length"`
}

// fitted returns as many of the rows as the budget allows beside the caveats; at
// least one, with its texts cut.
func fitted(columns []string, rows [][]json.RawMessage, caveats []api.Caveat, maxTokens int) (window, error) {
	if err := (fit.Options{MaxTokens: maxTokens}).Check(); err != nil {
		return window{}, err
	}
	if maxTokens == 0 {
		maxTokens = fit.DefaultTokens
	}
	budget := maxTokens * fit.BytesPerToken
	w := window{Columns: columns, Rows: [][]json.RawMessage{}, RowsTotal: int64(len(rows))}
	used := 0
	used += query.Reserve(caveats)
	for _, text := range columns {
		used += len(text) + 3
	}
	for _, r := range rows {
		shown := make([]json.RawMessage, len(r))
		cut, size := int64(0), 2
		for j, cell := range r {
			var short bool
			if shown[j], short = tool.Shorten(cell); short {
				cut++
			}
			size += len(shown[j]) + 1
		}
		if used+size > budget && len(w.Rows) > 0 {
			break
		}
		used += size
		w.Rows, w.CellsCut = append(w.Rows, shown), w.CellsCut+cut
	}
	w.RowsShown = int64(len(w.Rows))
	w.Truncated = w.RowsShown < w.RowsTotal || w.CellsCut > 0
	return w, nil
}
