package agent

import (
	"encoding/json"

	"github.com/agnes-data/da/api"
)

// DataFrame is a result that the model shows to the user as rows instead of
// writing it out.
type DataFrame struct {
	Name    string              `json:"logical_name"`
	SQL     string              `json:"sql"`
	Columns []string            `json:"columns"`
	Types   []string            `json:"column_types"`
	Rows    [][]json.RawMessage `json:"rows"`
	Total   int64               `json:"rows_total"`
	Caveats []api.Caveat        `json:"caveats"` // the most serious first
}

// Chart is a chart that the model shows to the user: rows of a statement, and
// how they are drawn.
type Chart struct {
	Name   string        `json:"logical_name"`
	SQL    string        `json:"sql"`
	Kind   string        `json:"chart_type" jsonschema:"bar, column, stacked_column, line or scatter"`
	Title  string        `json:"title,omitempty"`
	Note   string        `json:"note,omitempty"`
	X      string        `json:"x_field"`
	XLabel string        `json:"x_label,omitempty"`
	YLabel string        `json:"y_label,omitempty"`
	Series []ChartSeries `json:"series"`
	Table  DataFrame     `json:"data"`
}

// ChartSeries is one series of a chart.
type ChartSeries struct {
	Name  string `json:"name"`
	Field string `json:"y_field"`
}

// FrameRequest says which rows are shown: those of a statement, or a data frame of
// Python's.
type FrameRequest struct {
	SQL    string `json:"sql"`
	Path   string `json:"path"`
	Sheet  string `json:"sheet"`
	Remote bool   `json:"remote"`
	Fetch  bool   `json:"fetch"`
	Frame  string `json:"df_name"`
	// Rows and Cells limit the size of the result.
	Rows, Cells int64 `json:"-"`
}
