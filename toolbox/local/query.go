package local

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableQueryIn struct {
	tool.FileIn
	Query string `json:"query" jsonschema:"one SELECT in DuckDB's SQL; the file is the table data"`
	filesIn
	WindowRows   *int64 `json:"window_rows,omitempty" jsonschema:"rows to return, at most 10000; default 100"`
	WindowOffset int64  `json:"window_offset,omitempty" jsonschema:"rows to pass over"`
	MaxTokens    int    `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

// filesIn are further files of a query, and its limits.
type filesIn struct {
	Tables map[string]otherFile `json:"tables,omitempty" jsonschema:"further files by the name that they have in the query"`
	tool.TimeIn
	MemoryLimit string `json:"memory_limit,omitempty" jsonschema:"as in 2GB"`
	tool.ParamsIn
}

type otherFile struct {
	Path  string `json:"path"`
	Sheet string `json:"sheet,omitempty"`
}

// sources converts the further files for package table.
func (f filesIn) sources() (map[string]table.Source, error) {
	out := map[string]table.Source{}
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		src, err := tool.FileIn{Path: f.Tables[name].Path, Sheet: f.Tables[name].Sheet}.Source()
		if err != nil {
			return nil, err
		}
		lower := strings.ToLower(name) // names in a query ignore case
		if _, twice := out[lower]; twice {
			return nil, tool.BadValue(fmt.Sprintf("two of the tables are named '%s'", api.Clip(lower, 60)),
				"Queries ignore the case of names: give each another one.")
		}
		out[lower] = src
	}
	return out, nil
}

type tableQueryOut struct {
	table.Result
	fit.Part
}

func tableQuery() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "table_query", Title: "Query local files", Needs: tool.NeedsFiles, Engine: true, ReadOnly: true, Long: true,
		About: "Run one SELECT over a local file, called data, and further files. Count first; page with window_offset and an ORDER BY; to keep all rows use table_export.",
	}, func(ctx context.Context, c *tool.Call, in tableQueryIn) (*tableQueryOut, error) {
		src, limit, w, err := windowOf(in.FileIn, in.TimeIn, in.MaxTokens)
		if err != nil {
			return nil, err
		}
		more, err := in.sources()
		if err != nil {
			return nil, err
		}
		filled, err := in.FillSQL(in.Query)
		if err != nil {
			return nil, err
		}
		if in.WindowRows != nil {
			*in.WindowRows = min(*in.WindowRows, mostWindowRows)
		}
		r, err := c.Files.Query(ctx, table.QueryRequest{Source: src, Query: filled.Text, Tables: more, WindowRows: in.WindowRows,
			WindowOffset: in.WindowOffset, Timeout: limit, MemoryLimit: in.MemoryLimit, Take: takeWorded(c, w)})
		if err != nil {
			return nil, filled.Explain(err)
		}
		out := &tableQueryOut{Result: *r}
		if out.Part, err = show(w, &out.Columns, &out.ColumnTypes, &out.Rows, &out.RowCount); err != nil {
			return nil, err
		}
		out.HasMore = r.HasMore || out.RowCount < r.RowCount
		out.Caveats = c.Worded(r.Caveats)
		return out, nil
	})
}
