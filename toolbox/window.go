package toolbox

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/fit"
)

// windowOf collects the rows of a local file that fit into an answer.
func windowOf(maxTokens int) (*fit.Window, error) {
	o := fit.Options{MaxTokens: maxTokens, Reserve: envelopeBytes}
	return &fit.Window{Options: o}, o.Check()
}

// takeWorded words the caveats of an answer before w counts their size.
func (b *Box) takeWorded(w *fit.Window) table.Taker {
	return func(head any) func(arrow.RecordBatch) {
		switch h := head.(type) {
		case table.Rows:
			b.worded(h.Caveats)
		case table.Result:
			b.worded(h.Caveats)
		}
		return w.Take(head)
	}
}

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

// longestText is how many characters of a text are shown if the whole text would
// leave room for only few rows.
const longestText = 200

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
	used += analyst.Reserve(caveats)
	for _, text := range columns {
		used += len(text) + 3
	}
	for _, r := range rows {
		shown := make([]json.RawMessage, len(r))
		cut, size := int64(0), 2
		for j, cell := range r {
			var short bool
			if shown[j], short = shorten(cell); short {
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

// shorten cuts a long text or nested value, in the form that package fit uses for
// cut cells.
func shorten(cell json.RawMessage) (json.RawMessage, bool) {
	if len(cell) <= longestText {
		return cell, false
	}
	text := string(cell)
	if cell[0] == '"' {
		if json.Unmarshal(cell, &text) != nil {
			return cell, false
		}
	} else if cell[0] != '{' && cell[0] != '[' {
		return cell, false // a shortened number would be wrong
	}
	n := utf8.RuneCountInString(text)
	if n <= longestText {
		return cell, false
	}
	short, err := marshal(struct {
		Start string `json:"start"`
		Chars int    `json:"chars"`
	}{string([]rune(text)[:longestText]), n})
	if err != nil {
		return cell, false
	}
	return short, true
}
