package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/plot"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/catalog"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace/content"
)

type addResultIn struct {
	Path    string   `json:"path" jsonschema:"an .xlsx, .docx or .pptx file of the workspace"`
	Create  bool     `json:"create_if_missing,omitempty" jsonschema:"create the file if it does not exist"`
	SQL     string   `json:"sql" jsonschema:"a SELECT over snapshots, or the name of one"`
	Fetch   bool     `json:"fetch,omitempty" jsonschema:"it may name tables of the catalog: fetch what it needs"`
	Plot    string   `json:"plot,omitempty" jsonschema:"bar, line, scatter or hist: a drawing instead of rows"`
	X       string   `json:"x,omitempty" jsonschema:"column of the plot's labels; default the first"`
	Y       []string `json:"y,omitempty" jsonschema:"columns of its values; default all others"`
	Sheet   string   `json:"sheet,omitempty" jsonschema:"of a workbook, created if it does not exist; default a new one"`
	Start   string   `json:"start,omitempty" jsonschema:"first cell; default below what the sheet holds"`
	Table   string   `json:"table,omitempty" jsonschema:"name of the table in the workbook, for formulas"`
	Section string   `json:"section,omitempty" jsonschema:"of a document: heading or index; default the end"`
	Slide   *int     `json:"slide_index,omitempty" jsonschema:"of a presentation, from 0; default a new slide"`
	Title   string   `json:"title,omitempty" jsonschema:"heading, or title of the new slide or sheet"`
	writtenIn
}

func addResult() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "add_result", Title: "Put a query's rows or plot into a file", Set: tool.SetDocuments, Needs: tool.NeedsStore | tool.NeedsSpace,
		Engine: true, Long: true,
		About: "Run a SELECT and put its rows, as a table with types, or a plot of them into a workbook, document or presentation, without the rows passing through you.",
	}, func(ctx context.Context, c *tool.Call, in addResultIn) (*content.Added, error) {
		w, err := c.Space()
		if err != nil {
			return nil, err
		}
		target := content.Target{File: in.Path, Create: in.Create, IfVersion: in.IfVersion}
		if in.Plot != "" && !slices.Contains(plot.Kinds, plot.Kind(in.Plot)) {
			return nil, tool.BadValue("there is no plot of the kind '"+api.Clip(in.Plot, 40)+"'", "It is one of "+plot.KindNames(", ")+".")
		}
		most, err := content.MostRows(ctx, w, target)
		if err != nil {
			return nil, err
		}
		result, err := ranFor(ctx, c, in, most)
		if err != nil {
			return nil, err
		}
		return content.AddResult(ctx, w, target, content.Place{Sheet: in.Sheet, Start: in.Start, Table: in.Table, Section: in.Section,
			Slide: in.Slide, Title: in.Title}, result)
	})
}

// resultOf runs a call's statement.
func ranFor(ctx context.Context, c *tool.Call, in addResultIn, most int) (out content.Result, err error) {
	out.SQL = content.Statement(in.SQL)
	answer, err := c.Query(ctx, out.SQL, false, in.Fetch)
	if err != nil {
		return out, err
	}
	defer answer.Close()
	if in.Plot == "" {
		if out.Rows, err = reports.ReadRows(answer.Rows(), most); err != nil {
			return out, err
		}
		out.Rows.Asked.Fetch = in.Fetch
		for _, read := range answer.Inputs {
			out.Rows.Asked.Sources = append(out.Rows.Asked.Sources, figures.Source(read.Origin))
		}
		out.Caveats = c.Worded(out.Rows.Caveats)
		return out, nil
	}
	chart, err := plot.Read(ctx, answer.Rows(), plot.Spec{Kind: plot.Kind(in.Plot), X: in.X, Y: in.Y, Title: in.Title})
	if err != nil {
		return out, err
	}
	if out.Drawing, err = reports.Draw(chart); err != nil {
		return out, err
	}
	out.Drawing.Asked.Fetch = in.Fetch
	for _, read := range answer.Inputs {
		out.Drawing.Asked.Sources = append(out.Drawing.Asked.Sources, figures.Source(read.Origin))
	}
	out.Caveats = c.Worded(out.Drawing.Caveats)
	return out, nil
}

type importFileIn struct {
	Path  string `json:"path" jsonschema:"name or id of a file of the workspace"`
	As    string `json:"as" jsonschema:"name of the snapshot"`
	Force bool   `json:"force,omitempty" jsonschema:"replace a snapshot of that name"`
	Sheet string `json:"sheet,omitempty" jsonschema:"of a workbook; default the first"`
	Range string `json:"range,omitempty" jsonschema:"cells with the names of columns first, as A3:D20"`
	Table *int   `json:"table,omitempty" jsonschema:"of a document, from 0; default the only one"`
}

func importFile() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "import_file", Title: "Make a snapshot of a file's rows", Set: tool.SetDocuments,
		Needs: tool.NeedsStore | tool.NeedsFiles | tool.NeedsSpace, Engine: true, Destructive: true, Idempotent: true, Long: true,
		About: "Copy the rows of a sheet or range, of a document's table, or of a CSV, JSON or parquet file of the workspace into a snapshot, so that one query joins them with what was fetched.",
	}, func(ctx context.Context, c *tool.Call, in importFileIn) (*catalog.SnapshotImportOut, error) {
		if err := api.CheckName("snapshot name", in.As); err != nil {
			return nil, err
		}
		w, err := c.Space()
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp("", "da-import")
		if err != nil {
			return nil, fmt.Errorf("make a folder to read from: %w", err)
		}
		defer os.RemoveAll(dir)
		path, name, err := content.RowsFile(ctx, w, in.Path, in.Table, dir)
		if err != nil {
			return nil, err
		}
		files, err := table.New(table.Config{Dir: filepath.Join(dir, "kept"), Root: dir, WorkDir: dir, Now: c.Now})
		if err != nil {
			return nil, err
		}
		defer files.Close()
		src := table.Source{Path: path}
		src.Sheet, src.Range = in.Sheet, in.Range
		out, err := catalog.ImportRows(ctx, c, files, src, keep.ImportRequest{Name: in.As, Path: keep.OfWorkspace + name, Force: in.Force})
		return out, content.Renamed(err, path, name)
	})
}
