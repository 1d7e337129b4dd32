package local

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableExportIn struct {
	tool.FileIn
	Query string `json:"query,omitempty" jsonschema:"a SELECT over data; the whole file if omitted"`
	filesIn
	TargetPath     string `json:"target_path"`
	Format         string `json:"format,omitempty" jsonschema:"csv, tsv, jsonl, parquet or xlsx; by default what target_path ends in"`
	TargetSheet    string `json:"target_sheet,omitempty" jsonschema:"name of the sheet in xlsx"`
	Force          bool   `json:"force,omitempty" jsonschema:"replace a file that is there"`
	EscapeFormulas bool   `json:"escape_formulas,omitempty" jsonschema:"keep spreadsheets from running texts that begin with = + - @"`
}

func tableExport() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "table_export", Title: "Write rows to a file", Needs: tool.NeedsFiles, Engine: true, Destructive: true, Idempotent: true,
		Long:  true,
		About: "Write a local file, or the result of a query over it, to another file: CSV, TSV, JSON lines, parquet or XLSX. The file appears whole or not at all.",
	}, func(ctx context.Context, c *tool.Call, in tableExportIn) (*table.Export, error) {
		return export(ctx, c, in, c.ExportMaxBytes)
	})
}

// mostPlaced bounds the bytes of a file that is written for a program.
const mostPlaced = 1 << 30

// PlaceRows writes rows for a program.
func PlaceRows() tool.Tool {
	return tool.Typed(tool.Tool{Name: "place_rows", Needs: tool.NeedsFiles, Engine: true},
		func(ctx context.Context, c *tool.Call, in tableExportIn) (*table.Export, error) {
			return export(ctx, c, in, mostPlaced)
		})
}

// export writes a file of at most so many bytes; 0: there is no bound.
func export(ctx context.Context, c *tool.Call, in tableExportIn, most int64) (*table.Export, error) {
	src, err := in.Source()
	if err != nil {
		return nil, err
	}
	if in.Query == "" && len(in.Tables) > 0 {
		return nil, &api.Error{Code: api.CodeValidation, Message: "tables need a query", Hint: "Give query as well, or leave tables out."}
	}
	more, err := in.sources()
	if err != nil {
		return nil, err
	}
	limit, err := in.Timeout()
	if err != nil {
		return nil, err
	}
	filled, err := in.FillSQL(in.Query)
	if err != nil {
		return nil, err
	}
	out, err := c.Files.Export(ctx, table.ExportRequest{Source: src, Query: filled.Text, Tables: more, TargetPath: in.TargetPath,
		Format:      in.Format,
		TargetSheet: in.TargetSheet, Force: in.Force, EscapeFormulas: in.EscapeFormulas, Timeout: limit, MemoryLimit: in.MemoryLimit,
		MaxBytes: most})
	if err != nil {
		return nil, filled.Explain(err)
	}
	out.Caveats = c.Worded(out.Caveats)
	return out, nil
}
