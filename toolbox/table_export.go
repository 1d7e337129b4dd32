package toolbox

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
)

type tableExportIn struct {
	fileIn
	Query string `json:"query,omitempty" jsonschema:"a SELECT over data; the whole file if omitted"`
	filesIn
	TargetPath     string `json:"target_path"`
	Format         string `json:"format,omitempty" jsonschema:"csv, tsv, jsonl, parquet or xlsx; by default what target_path ends in"`
	TargetSheet    string `json:"target_sheet,omitempty" jsonschema:"name of the sheet in xlsx"`
	Force          bool   `json:"force,omitempty" jsonschema:"replace a file that is there"`
	EscapeFormulas bool   `json:"escape_formulas,omitempty" jsonschema:"keep spreadsheets from running texts that begin with = + - @"`
}

func tableExport() tool {
	return typed(tool{
		name: "table_export", title: "Write rows to a file", needs: needsFiles, engine: true, destructive: true, idempotent: true, long: true,
		about: "Write a local file, or the result of a query over it, to another file: CSV, TSV, JSON lines, parquet or XLSX. The file appears whole or not at all; with force it replaces one that is there.",
	}, func(ctx context.Context, c *call, in tableExportIn) (*table.Export, error) {
		return c.export(ctx, in, c.ExportMaxBytes)
	})
}

// placedTool is listed nowhere: it writes rows for programs, not for models.
const placedTool = "place_rows"

// mostPlaced bounds the bytes of a file that is written for a program.
const mostPlaced = 1 << 30

func placeRows() tool {
	return typed(tool{name: placedTool, needs: needsFiles, engine: true}, func(ctx context.Context, c *call, in tableExportIn) (*table.Export, error) {
		return c.export(ctx, in, mostPlaced)
	})
}

// export writes a file of at most so many bytes; 0: there is no bound.
func (c *call) export(ctx context.Context, in tableExportIn, most int64) (*table.Export, error) {
	src, err := in.source()
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
	limit, err := in.timeout()
	if err != nil {
		return nil, err
	}
	filled, err := in.local(in.Query)
	if err != nil {
		return nil, err
	}
	out, err := c.Files.Export(ctx, table.ExportRequest{Source: src, Query: filled.Text, Tables: more, TargetPath: in.TargetPath, Format: in.Format,
		TargetSheet: in.TargetSheet, Force: in.Force, EscapeFormulas: in.EscapeFormulas, Timeout: limit, MemoryLimit: in.MemoryLimit, MaxBytes: most})
	if err != nil {
		return nil, filled.Explain(err)
	}
	out.Caveats = c.worded(out.Caveats)
	return out, nil
}
