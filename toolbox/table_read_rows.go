package toolbox

import (
	"context"

	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/fit"
)

type tableReadRowsIn struct {
	fileIn
	timeIn
	RowStart  int64    `json:"row_start" jsonschema:"first row, from 1, the header not counted"`
	RowCount  int64    `json:"row_count" jsonschema:"at most 10000"`
	Columns   []string `json:"columns,omitempty" jsonschema:"all if omitted"`
	MaxTokens int      `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

// fileRows renames table.Rows for embedding, because the type's own name would
// hide its field.
type fileRows = table.Rows

type tableReadRowsOut struct {
	fileRows
	fit.Part
}

// mostWindowRows limits how many rows are read for one answer; more would not fit
// anyway.
const mostWindowRows = 10_000

func tableReadRows() tool {
	return typed(tool{
		name: "table_read_rows", title: "Read rows of a local file", needs: needsFiles, engine: true, readOnly: true,
		about: "Rows of a local file by their position. To find rows by what is in them, use table_query.",
	}, func(ctx context.Context, c *call, in tableReadRowsIn) (*tableReadRowsOut, error) {
		src, err := in.source()
		if err != nil {
			return nil, err
		}
		limit, err := in.timeout()
		if err != nil {
			return nil, err
		}
		w, err := windowOf(in.MaxTokens)
		if err != nil {
			return nil, err
		}
		r, err := c.Files.Rows(ctx, table.RowsRequest{Source: src, RowStart: in.RowStart, RowCount: min(in.RowCount, mostWindowRows), Columns: in.Columns, Timeout: limit, Take: c.takeWorded(w)})
		if err != nil {
			return nil, err
		}
		shown, err := w.Shown(r.Columns, r.ColumnTypes)
		if err != nil {
			return nil, err
		}
		out := &tableReadRowsOut{fileRows: *r, Part: shown.Part}
		out.Columns, out.ColumnTypes, out.Rows = shown.Columns, shown.Types, shown.Rows
		out.RowCount = int64(len(shown.Rows))
		out.Caveats = c.worded(r.Caveats)
		out.HasMore = in.RowStart-1+out.RowCount < out.TotalRows
		return out, nil
	})
}
