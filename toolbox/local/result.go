package local

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace/content"
)

// ResultIn asks for rows of snapshots, a local file or the source.
type ResultIn struct {
	SQL    string `json:"sql"`
	Path   string `json:"path,omitempty"`
	Sheet  string `json:"sheet,omitempty"`
	Remote bool   `json:"remote,omitempty"`
	Fetch  bool   `json:"fetch,omitempty"`
	// Rows and Cells limit what is returned.
	Rows  int64 `json:"rows"`
	Cells int64 `json:"cells"`
}

// ResultOut has the first rows of a result, with complete cells.
type ResultOut struct {
	Columns []string            `json:"columns"`
	Types   []string            `json:"column_types"`
	Rows    [][]json.RawMessage `json:"rows"`
	Total   int64               `json:"rows_total"`
	Caveats []api.Caveat        `json:"caveats"`
}

// mostResult limits the size of a result in bytes.
const mostResult = 8 << 20

// ResultRows returns the rows of a statement to a program.
func ResultRows() tool.Tool {
	return tool.Typed(tool.Tool{Name: "result_rows", Engine: true, ReadOnly: true},
		func(ctx context.Context, c *tool.Call, in ResultIn) (*ResultOut, error) {
			switch {
			case in.Path != "" && c.Files != nil:
				return resultOfFile(ctx, c.Files, in)
			case in.Path != "":
				return nil, tool.BadValue("there are no local files here", "Leave path out.")
			case !in.Remote && c.Work != nil:
				result, err := c.Query(ctx, content.Statement(in.SQL), true, in.Fetch)
				if err != nil {
					return nil, err
				}
				defer result.Close()
				return readResult(ctx, c.Tells(result.Rows()), in)
			}
			data, err := c.Data()
			if err != nil {
				return nil, err
			}
			stream, err := data.Query(ctx, api.QueryRequest{SQL: in.SQL})
			if err != nil {
				return nil, err
			}
			defer stream.Close()
			stream.RefuseCut(false) // what is shown as a table is taken for the whole
			return readResult(ctx, c.Tells(stream.Rows()), in)
		})
}

// readResult counts all rows and keeps the first ones.
func readResult(ctx context.Context, rows api.Rows, in ResultIn) (*ResultOut, error) {
	out := &ResultOut{Columns: []string{}, Types: []string{}, Rows: [][]json.RawMessage{}}
	for _, f := range rows.Schema().Fields() {
		out.Columns, out.Types = append(out.Columns, f.Name), append(out.Types, arrowjson.TypeName(f))
	}
	most := in.most(len(out.Columns))
	size := 0
	for rows.Next() {
		batch := rows.RecordBatch()
		out.Total += batch.NumRows()
		n := min(batch.NumRows(), most-int64(len(out.Rows)))
		columns := make([]*arrowjson.Column, len(out.Columns))
		for j := range columns {
			columns[j] = arrowjson.Bind(rows.Schema().Field(j), batch.Column(j))
		}
		for i := range int(n) {
			row := make([]json.RawMessage, len(columns))
			for j, c := range columns {
				row[j] = c.AppendJSON(nil, i)
				size += len(row[j])
			}
			out.Rows = append(out.Rows, row)
			if size > mostResult {
				return nil, tooWide()
			}
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
	out.Caveats = api.Arranged(rows.Caveats())
	return out, rows.Err()
}

// most returns how many rows with that many columns are returned.
func (in ResultIn) most(columns int) int64 { return min(in.Rows, in.Cells/int64(max(columns, 1))) }

func tooWide() error {
	return &api.Error{Code: api.CodeBudget, Message: fmt.Sprintf("the rows have more than %d MB", mostResult>>20),
		Hint: "Select fewer rows or columns, or shorter texts."}
}

// resultOfFile is readResult for a statement over a local file.
func resultOfFile(ctx context.Context, files *table.Tables, in ResultIn) (*ResultOut, error) {
	src, err := tool.FileIn{Path: in.Path, Sheet: in.Sheet}.Source()
	if err != nil {
		return nil, err
	}
	rows := in.Rows
	r, err := files.Query(ctx, table.QueryRequest{Source: src, Query: in.SQL, WindowRows: &rows})
	if err != nil {
		return nil, err
	}
	out := &ResultOut{Columns: r.Columns, Types: r.ColumnTypes, Rows: r.Rows, Total: r.RowCount, Caveats: api.Arranged(r.Caveats)}
	if r.TotalRowCount != nil {
		out.Total = *r.TotalRowCount
	} else if r.HasMore {
		out.Total++ // there is at least one more
	}
	if most := in.most(len(r.Columns)); int64(len(out.Rows)) > most {
		out.Rows = out.Rows[:most]
	}
	size := 0
	for _, row := range out.Rows {
		for _, cell := range row {
			size += len(cell)
		}
	}
	if size > mostResult {
		return nil, tooWide()
	}
	return out, nil
}
