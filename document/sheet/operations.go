package sheet

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/guard/strictjson"
)

// The operations.
const (
	EnsureSheet = "ensure_sheet"
	AddSheet    = "add_sheet"
	DeleteSheet = "delete_sheet"
	RenameSheet = "rename_sheet"
	MoveSheet   = "move_sheet"
	CopySheet   = "copy_sheet"
	HideSheet   = "hide_sheet"
	ShowSheet   = "show_sheet"
	SetCells    = "set_cells"
	SetRange    = "set_range"
	InsertRows  = "insert_rows"
	DeleteRows  = "delete_rows"
	SetFormat   = "set_format"
	AutoFilter  = "auto_filter"
	AddTable    = "add_table"
	AddPicture  = "add_picture"
	AddChart    = "add_chart"
	AddPivot    = "add_pivot"
	FormatIf    = "conditional_format"
	Validate    = "validate"
	Freeze      = "freeze"
	PageSetup   = "page_setup"
	AddLink     = "add_link"
	AddComment  = "add_comment"
)

// Operations lists the names of all operations.
func Operations() []string {
	return []string{EnsureSheet, AddSheet, DeleteSheet, RenameSheet, MoveSheet, CopySheet, HideSheet, ShowSheet, SetCells, SetRange,
		InsertRows, DeleteRows, SetFormat, AutoFilter, AddTable, AddPicture, AddChart, AddPivot, FormatIf, Validate, Freeze, PageSetup, AddLink,
		AddComment}
}

// Operation is one change of a workbook. Each operation sees the changes of those
// before it.
type Operation struct {
	Op    string `json:"op"`
	Sheet string `json:"sheet,omitempty" jsonschema:"by default the first"`
	// Of sheets.
	NewName  string `json:"new_name,omitempty" of:"rename_sheet copy_sheet" jsonschema:"of the sheet or its copy; formulas, charts and names follow"`
	Position int    `json:"position,omitempty" of:"move_sheet" jsonschema:"place of the sheet among all; 1 is the first"`
	// Of set_cells.
	Cells []SetCell `json:"cells,omitempty" of:"set_cells"`
	// Of operations that add something at a cell.
	Start  string  `json:"start,omitempty" of:"set_range add_table add_picture add_chart add_pivot freeze add_link add_comment" jsonschema:"first cell; default A1, of a chart behind the last column. freeze: the first cell that moves"`
	Values [][]any `json:"values,omitempty" of:"set_range add_table" jsonschema:"rows of texts, numbers, true, false and null; null empties a cell. add_table: the names of columns first"`
	Name   string  `json:"name,omitempty" of:"add_table add_pivot" jsonschema:"of the table, for formulas"`
	// Of rows.
	After int `json:"after_row,omitempty" of:"insert_rows" jsonschema:"insert_rows: behind this row; 0 is the top"`
	Row   int `json:"start_row,omitempty" of:"delete_rows" jsonschema:"delete_rows: the first"`
	Count int `json:"count,omitempty" of:"insert_rows delete_rows" jsonschema:"of rows; default 1"`
	// Of set_format, auto_filter, add_chart and add_pivot.
	Range  string  `json:"range,omitempty" of:"set_format auto_filter add_chart add_pivot conditional_format validate" jsonschema:"such as A1:D50, A:C or 2:5. add_chart: names of the points and columns of numbers, the first row their names; also Data!A1:A9,Data!C1:C9 or a table. add_pivot: Data!A1:D50 or a table, the first row the names of columns"`
	Format *Format `json:"format,omitempty" of:"set_format conditional_format"`
	Rule   *Rule   `json:"rule,omitempty" of:"conditional_format validate"`
	// Of add_picture and add_chart.
	Picture string  `json:"picture,omitempty" of:"add_picture" jsonschema:"a PNG, JPEG or GIF file"`
	WidthCM float64 `json:"width_cm,omitempty" of:"add_picture add_chart"`
	Alt     string  `json:"alt,omitempty" of:"add_picture" jsonschema:"text that describes the picture"`
	Type    string  `json:"type,omitempty" of:"add_chart" jsonschema:"column, bar, area (each also stacked_…), line, pie or scatter"`
	Title   string  `json:"title,omitempty" of:"add_chart"`
	XTitle  string  `json:"x_title,omitempty" of:"add_chart"`
	YTitle  string  `json:"y_title,omitempty" of:"add_chart"`
	// Of add_pivot.
	Rows     []string  `json:"rows,omitempty" of:"add_pivot" jsonschema:"names of columns"`
	Columns  []string  `json:"columns,omitempty" of:"add_pivot" jsonschema:"names of columns"`
	Measures []Measure `json:"measures,omitempty" of:"add_pivot"`
	Filters  []Filter  `json:"filters,omitempty" of:"add_pivot"`
	// Of the page, links and comments.
	Page   *Page  `json:"page,omitempty" of:"page_setup"`
	Link   string `json:"link,omitempty" of:"add_link" jsonschema:"an address, or a place such as May!A1"`
	Text   string `json:"text,omitempty" of:"add_link add_comment validate" jsonschema:"what is shown"`
	Author string `json:"author,omitempty" of:"add_comment" jsonschema:"default da"`
}

// Measure is a figure of a pivot table, of a column of its source.
type Measure struct {
	Column   string `json:"column"`
	Function string `json:"function,omitempty" jsonschema:"sum (default), count, average, min or max"`
}

// Filter stands above a pivot table and says which rows of its source count.
type Filter struct {
	Column string `json:"column"`
	Values []any  `json:"values,omitempty" jsonschema:"those that count; default all, for readers to choose"`
}

// Options are the outside resources that an edit needs.
type Options struct {
	// Picture returns the content of the picture file that an operation names. It
	// can be nil.
	Picture func(name string) ([]byte, error)
	// Receipt is stored in the file in place of an earlier one; "" keeps that.
	Receipt string
	// Names are hidden names of ranges, such as 'May'!$A$2:$C$9, by name: they move
	// with their cells.
	Names map[string]string
}

// Date is a value of a cell, among Values too: a date or time by ISO 8601 that
// programs calculate with.
type Date string

// SetCell sets the content of one cell.
type SetCell struct {
	Cell    string  `json:"cell"`
	Value   any     `json:"value,omitempty" jsonschema:"text, number, true, false or null; text stays text"`
	Formula string  `json:"formula,omitempty" jsonschema:"instead of a value"`
	Date    bool    `json:"date,omitempty" jsonschema:"value is a date or time, such as 2024-03-01"`
	Format  *Format `json:"format,omitempty"`
}

// Described tells which fields the operations have.
func Described() []string { return strictjson.Operations[Operation](Operations()) }

// UnmarshalJSON refuses fields that an operation does not have.
func (o *Operation) UnmarshalJSON(data []byte) error {
	type plain Operation
	return strictjson.DecodeOperation(data, (*plain)(o), Operations())
}

const (
	maxCells = 1_000_000 // maximum that one operation can set
	maxCount = 1_000_000 // of rows
)

// check refuses an operation that lacks a required field.
func (o *Operation) check() error {
	if !slices.Contains(Operations(), o.Op) {
		return ooxml.UnknownOperation(o.Op, Operations())
	}
	var missing string
	switch {
	case o.Op == SetCells && len(o.Cells) == 0:
		missing = "cells"
	case (o.Op == SetRange || o.Op == AddTable) && len(o.Values) == 0:
		missing = "values"
	case o.Op == AddPicture && o.Picture == "":
		missing = "picture"
	case slices.Contains([]string{SetFormat, AutoFilter, AddChart, AddPivot, FormatIf, Validate}, o.Op) && o.Range == "":
		missing = "range"
	case o.Op == AddChart && o.Type == "":
		missing = "type"
	case (o.Op == FormatIf || o.Op == Validate) && o.Rule == nil:
		missing = "rule"
	case slices.Contains([]string{Freeze, AddLink, AddComment}, o.Op) && o.Start == "":
		missing = "start"
	case o.Op == PageSetup && o.Page == nil:
		missing = "page"
	case o.Op == AddLink && o.Link == "":
		missing = "link"
	case o.Op == AddComment && o.Text == "":
		missing = "text"
	case o.Op == AddPivot && len(o.Rows) == 0:
		missing = "rows"
	case o.Op == AddPivot && len(o.Measures) == 0:
		missing = "measures"
	case o.Op == SetFormat && o.Format == nil:
		missing = "format"
	case strings.HasSuffix(o.Op, "_sheet") && o.Sheet == "":
		missing = "sheet"
	case (o.Op == RenameSheet || o.Op == CopySheet) && o.NewName == "":
		missing = "new_name"
	case o.Op == MoveSheet && o.Position == 0:
		missing = "position, counted from 1"
	case o.Op == DeleteRows && o.Row < 1:
		missing = "start_row, counted from 1"
	case o.Count < 0 || o.After < 0:
		return ooxml.Invalid("Rows are counted from 1; after_row is 0 for the top.", "%s cannot begin or count below 0", o.Op)
	case o.Count > maxCount:
		return ooxml.Invalid("Divide them into several calls.", "%d rows are more than %d", o.Count, maxCount)
	case len(o.Cells) > maxCells:
		return ooxml.Invalid("Divide them into several calls.", "%d cells are more than %d", len(o.Cells), maxCells)
	default:
		return nil
	}
	return ooxml.Invalid("Give the operation that field.", "%s needs %s", o.Op, missing)
}

// Result describes the effect of one operation.
type Result struct {
	Op    string `json:"op"`
	Sheet string `json:"sheet,omitempty"`
	Cells int    `json:"cells,omitempty"` // number of cells that were set
	Range string `json:"range,omitempty"` // that was filled, or the cell of a chart
	Table string `json:"table,omitempty"` // the name of a table or pivot table
	Made  bool   `json:"made,omitempty"`  // the sheet is new
}

// Report describes the effect of an edit.
type Report struct {
	Results []Result `json:"results"`
	// Calculated is how many formulas depend on the changes and have new values.
	Calculated int `json:"calculated,omitempty"`
	// Stale says that some formulas have their old values, or none, until a program
	// that calculates opens the workbook.
	Stale        bool           `json:"stale,omitempty"`
	Uncalculated []Uncalculated `json:"uncalculated,omitempty"`
	api.CaveatList
}
