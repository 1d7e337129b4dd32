package steps

import (
	"context"

	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

const (
	mostSheets = 200
	mostTables = 50 // and names, of a sheet
	sampleRows = 5
)

type sheetIn struct {
	fileIn
	Sheet string `json:"sheet,omitempty" jsonschema:"name; default the first"`
}

// Sheets are those of a workbook.
type Sheets struct {
	Sheets []sheet.Sheet `json:"sheets"`
	// Truncated reports that there are more sheets than listed; Total counts all
	// of them.
	Total     int  `json:"total"`
	Truncated bool `json:"truncated,omitempty"`
}

func spreadsheets() []Step {
	return append(sheetsRead(),
		step(Step{
			Family: Spreadsheet, Name: "write_range", Title: "Write a range of cells",
			About: "Write rows of values from a cell on. Texts never become formulas.",
		}, func(ctx context.Context, w *workspace.Workspace, in *writeRangeIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.SetRange, Start: in.Start, Values: in.Data})
		}),
		step(Step{
			Family: Spreadsheet, Name: "write_cell", Title: "Write one cell",
			About: "Write a value, a date or a formula into a cell, with a format if one is given.",
		}, func(ctx context.Context, w *workspace.Workspace, in *writeCellIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.SetCells,
				Cells: []sheet.SetCell{{Cell: in.Cell, Value: in.Value, Formula: in.Options.Formula, Date: in.Options.Date,
					Format: in.Options.Format}}})
		}),
		step(Step{
			Family: Spreadsheet, Name: "add_sheet", Title: "Add a sheet",
			About: "Add an empty sheet behind the others.",
		}, func(ctx context.Context, w *workspace.Workspace, in *namedSheetIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.AddSheet, Sheet: in.Name})
		}),
		step(Step{
			Family: Spreadsheet, Name: "delete_sheet", Title: "Delete a sheet",
			About: "Delete a sheet with all that is on it. Formulas that refer to it are counted in a caveat.",
		}, func(ctx context.Context, w *workspace.Workspace, in *namedSheetIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.DeleteSheet, Sheet: in.Name})
		}),
		step(Step{
			Family: Spreadsheet, Name: "rename_sheet", Title: "Rename a sheet",
			About: "Give a sheet another name. Formulas, names, charts, rules and links follow.",
		}, func(ctx context.Context, w *workspace.Workspace, in *renameSheetIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.RenameSheet, Sheet: in.Name, NewName: in.NewName})
		}),
		step(Step{
			Family: Spreadsheet, Name: "copy_sheet", Title: "Copy a sheet",
			About: "Add a copy of a sheet behind the others, with its formats, tables, charts and comments. What refers to its own sheet refers to the copy.",
		}, func(ctx context.Context, w *workspace.Workspace, in *renameSheetIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.CopySheet, Sheet: in.Name, NewName: in.NewName})
		}),
		step(Step{
			Family: Spreadsheet, Name: "move_sheet", Title: "Move a sheet",
			About: "Put a sheet at another place among all.",
		}, func(ctx context.Context, w *workspace.Workspace, in *moveSheetIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.MoveSheet, Sheet: in.Name, Position: in.Position})
		}),
		step(Step{
			Family: Spreadsheet, Name: "hide_sheet", Title: "Hide or show a sheet",
			About: "Hide a sheet, or show one that is hidden. The last that can be seen stays.",
		}, func(ctx context.Context, w *workspace.Workspace, in *hideSheetIn) (*Changed, error) {
			op := sheet.HideSheet
			if in.Show {
				op = sheet.ShowSheet
			}
			return in.do(ctx, w, sheet.Operation{Op: op, Sheet: in.Name})
		}),
		step(Step{
			Family: Spreadsheet, Name: "insert_rows", Title: "Insert empty rows",
			About: "Insert empty rows. Formulas, tables, filters and names follow.",
		}, func(ctx context.Context, w *workspace.Workspace, in *insertRowsIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.InsertRows, After: in.After, Count: in.Count})
		}),
		step(Step{
			Family: Spreadsheet, Name: "delete_rows", Title: "Delete rows",
			About: "Delete rows. Formulas, tables, filters and names follow.",
		}, func(ctx context.Context, w *workspace.Workspace, in *deleteRowsIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.DeleteRows, Row: in.Row, Count: in.Count})
		}),
		step(Step{
			Family: Spreadsheet, Name: "set_format", Title: "Format a range of cells",
			About: "Change how cells look. What the format does not name stays.",
		}, func(ctx context.Context, w *workspace.Workspace, in *setFormatIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.SetFormat, Range: in.Range, Format: &in.Format})
		}),
		step(Step{
			Family: Spreadsheet, Name: "auto_filter", Title: "Give a range filters",
			About: "Give the first row of a range buttons that filter.",
		}, func(ctx context.Context, w *workspace.Workspace, in *rangeIn) (*Changed, error) {
			return in.do(ctx, w, sheet.Operation{Op: sheet.AutoFilter, Range: in.Range})
		}),
	)
}

type sheetWriteIn struct {
	sheetIn
	writeIn
}

// do applies one operation to the sheet.
func (in *sheetWriteIn) do(ctx context.Context, w *workspace.Workspace, o sheet.Operation) (*Changed, error) {
	o.Sheet = in.Sheet
	return apply(ctx, w, in.fileIn, in.writeIn, o)
}

func apply(ctx context.Context, w *workspace.Workspace, f fileIn, write writeIn, o sheet.Operation) (*Changed, error) {
	done, err := content.Xlsx(ctx, w, content.Target{File: f.File, IfVersion: write.IfVersion}, []sheet.Operation{o})
	if err != nil {
		return nil, err
	}
	out := changed(done.File)
	out.Stale, out.CaveatList = done.Report.Stale, done.Report.CaveatList
	return out, nil
}

type writeRangeIn struct {
	sheetWriteIn
	Start string  `json:"start_cell" jsonschema:"such as B2"`
	Data  [][]any `json:"data" jsonschema:"rows of texts, numbers, true, false and null; null empties a cell"`
}

type writeCellIn struct {
	sheetWriteIn
	Cell    string      `json:"cell" jsonschema:"such as B7"`
	Value   any         `json:"value,omitempty" jsonschema:"text, number, true, false or null; text stays text"`
	Options cellOptions `json:"options,omitzero"`
}

type cellOptions struct {
	Formula string        `json:"formula,omitempty" jsonschema:"instead of a value"`
	Date    bool          `json:"date,omitempty" jsonschema:"the value is a date or time, such as 2024-03-01"`
	Format  *sheet.Format `json:"format,omitempty"`
}

type namedSheetIn struct {
	fileIn
	Name string `json:"name" jsonschema:"of the sheet"`
	writeIn
}

func (in *namedSheetIn) do(ctx context.Context, w *workspace.Workspace, o sheet.Operation) (*Changed, error) {
	return apply(ctx, w, in.fileIn, in.writeIn, o)
}

type renameSheetIn struct {
	namedSheetIn
	NewName string `json:"new_name" jsonschema:"that no other sheet has"`
}

type moveSheetIn struct {
	namedSheetIn
	Position int `json:"position" jsonschema:"1 is the first"`
}

type hideSheetIn struct {
	namedSheetIn
	Show bool `json:"show,omitempty" jsonschema:"show it again"`
}

type insertRowsIn struct {
	sheetWriteIn
	After int `json:"after_row" jsonschema:"insert behind this row; 0 is the top"`
	Count int `json:"count,omitempty" jsonschema:"of rows; default 1"`
}

type deleteRowsIn struct {
	sheetWriteIn
	Row   int `json:"start_row" jsonschema:"the first, from 1"`
	Count int `json:"count,omitempty" jsonschema:"of rows; default 1"`
}

type setFormatIn struct {
	sheetWriteIn
	Range  string       `json:"range" jsonschema:"such as A1:D50, A:C or 2:5"`
	Format sheet.Format `json:"format"`
}

type rangeIn struct {
	sheetWriteIn
	Range string `json:"range" jsonschema:"such as A1:D50"`
}

type readRangeIn struct {
	sheetIn
	Range string `json:"range,omitempty" jsonschema:"such as A1:D50, A:C or 2:5; default all"`
	boundIn
}

type summaryIn struct {
	sheetIn
	boundIn
}

type readCellIn struct {
	sheetIn
	Cell string `json:"cell" jsonschema:"such as B7"`
}

func sheetsRead() []Step {
	return []Step{
		step(Step{
			Family: Spreadsheet, Name: "list_sheets", Title: "List a workbook's sheets", ReadOnly: true,
			About: "List the sheets of a workbook with their sizes, tables and filters. A CSV file has one.",
		}, listSheets),
		step(Step{
			Family: Spreadsheet, Name: "get_sheet_summary", Title: "Summarize a sheet", ReadOnly: true,
			About: "Tell a sheet's size, its header, and some rows of its top and its end. Call it before reading ranges.",
		}, func(ctx context.Context, w *workspace.Workspace, in *summaryIn) (out *sheet.Summary, err error) {
			err = content.Cells(ctx, w, in.File, func(b sheet.Cells) error {
				if out, err = b.Summary(in.Sheet, sampleRows); err == nil {
					out.Fit(in.bytes())
				}
				return err
			})
			return out, err
		}),
		step(Step{
			Family: Spreadsheet, Name: "read_range", Title: "Read a range of cells", ReadOnly: true,
			About: "Read the values of cells, row by row. A long answer ends behind a row and names the next one.",
		}, func(ctx context.Context, w *workspace.Workspace, in *readRangeIn) (out *sheet.Values, err error) {
			err = content.Cells(ctx, w, in.File, func(b sheet.Cells) error {
				out, err = content.ReadRange(b, in.Sheet, in.Range, in.bytes())
				return err
			})
			return out, err
		}),
		step(Step{
			Family: Spreadsheet, Name: "read_cell", Title: "Read one cell", ReadOnly: true,
			About: "Read a cell's value, formula and format.",
		}, func(ctx context.Context, w *workspace.Workspace, in *readCellIn) (out *sheet.Cell, err error) {
			err = content.Cells(ctx, w, in.File, func(b sheet.Cells) error {
				out, err = b.ReadCell(in.Sheet, in.Cell)
				return err
			})
			return out, err
		}),
	}
}

func listSheets(ctx context.Context, w *workspace.Workspace, in *fileIn) (*Sheets, error) {
	out := &Sheets{}
	err := content.Cells(ctx, w, in.File, func(b sheet.Cells) error {
		info, err := b.Info()
		if err != nil {
			return err
		}
		out.Total = len(info.Sheets)
		out.Sheets, out.Truncated = firstOf(info.Sheets, mostSheets)
		for i := range out.Sheets {
			tables, cut := firstOf(out.Sheets[i].Tables, mostTables)
			out.Sheets[i].Tables, out.Truncated = tables, out.Truncated || cut
		}
		return nil
	})
	return out, err
}
