package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/untrusted"
	"github.com/agnes-data/da/toolbox/local"
)

// The tools by which a model shows something to the user.
const (
	tableTool = "send_data_to_ui_as_df"
	chartTool = "send_chart_to_ui"
)

// Maximum sizes of a table and of a chart.
const (
	tableRows   = 2000
	tableCells  = 200_000
	chartRows   = 200
	chartSeries = 10
)

// chartKinds are the supported kinds of chart.
var chartKinds = []string{"bar", "column", "stacked_column", "line", "scatter"}

// showTools describes the tools for answers.
func showTools() []Tool {
	rows := `"logical_name": {"type": "string", "description": "what the user sees it called"},
		"sql": {"type": "string", "description": "one SELECT over snapshots; with path over that file, called data; with fetch over tables of the catalog, too; with remote at the source"},
		"path": {"type": "string"}, "sheet": {"type": "string"}, "fetch": {"type": "boolean"}, "remote": {"type": "boolean"}, "df_name": {"type": "string", "description": "in place of sql: a data frame of Python, if there is Python"}`
	chart := `, "chart_type": {"type": "string", "enum": ["` + strings.Join(chartKinds, `", "`) + `"]}, "x_field": {"type": "string"},
		"x_label": {"type": "string"}, "y_label": {"type": "string"}, "title": {"type": "string"}, "note": {"type": "string"},
		"series": {"type": "array", "minItems": 1, "maxItems": 10, "items": {"type": "object", "properties": {"name": {"type": "string"}, "y_field": {"type": "string"}}, "required": ["name", "y_field"], "additionalProperties": false}}`
	tool := func(name, about, properties string, required ...string) Tool {
		must, _ := json.Marshal(required) // a list of strings cannot fail
		schema := `{"type": "object", "properties": {` + properties + `}, "required": ` + string(must) + `, "additionalProperties": false}`
		return Tool{Tool: provider.Tool{Name: name, About: about, Schema: json.RawMessage(schema)}, Reads: true}
	}
	return []Tool{
		tool(tableTool, "Shows the rows of a statement to the user as a table, at most 2,000 rows and 200,000 cells. Use it for every result of more than a few rows, and do not repeat the rows in the text.", rows, "logical_name"),
		tool(chartTool, "Shows the rows of a statement to the user as a chart, at most 200 rows and 10 series of numbers. Only where it makes something clearer.", rows+chart, "logical_name", "chart_type", "x_field", "series"),
	}
}

// showIn are the arguments of both.
type showIn struct {
	FrameRequest
	Name   string        `json:"logical_name"`
	Kind   string        `json:"chart_type"`
	X      string        `json:"x_field"`
	XLabel string        `json:"x_label"`
	YLabel string        `json:"y_label"`
	Title  string        `json:"title"`
	Note   string        `json:"note"`
	Series []ChartSeries `json:"series"`
}

// show runs a call that shows something. Errors are returned to the model; errors
// of a chart are shown to the user, too.
func (a *Agent) show(ctx context.Context, c provider.Call) (o outcome) {
	event, told, err := a.shown(ctx, c)
	if err != nil {
		if c.Name == chartTool {
			o.shows = &Event{Type: EventRejected, ID: c.ID, Text: err.Error()}
		}
		o.text, o.failed = Failed(err)
		return o
	}
	event.ID = c.ID
	doc, _ := json.Marshal(map[string]any{"shown": told}) // plain fields
	text := untrusted.NewFence().Marked(nil, untrusted.JSON(doc))
	frame := event.Table
	if event.Chart != nil {
		frame = &event.Chart.Table
	}
	return outcome{text: string(text), shows: &event, rows: DigestOf(frame), total: frame.Total}
}

// DigestOf is the hash of the rows that the user was shown, as receipts have it.
func DigestOf(f *DataFrame) string {
	text, _ := json.Marshal(map[string]any{"columns": f.Columns, "rows": f.Rows, "rows_total": f.Total}) // came as JSON
	sum, _ := receipt.Digest(text)
	return sum
}

// firstRows and firstBytes bound the rows that a model is told of those that it
// shows.
const (
	firstRows  = 12
	firstBytes = 4 << 10
)

// first are the first rows.
func (f *DataFrame) first() [][]json.RawMessage {
	size, n := 0, 0
	for ; n < min(len(f.Rows), firstRows); n++ {
		for _, cell := range f.Rows[n] {
			size += len(cell) + 1
		}
		if size > firstBytes {
			break
		}
	}
	return f.Rows[:n]
}

// digestAdded is the hash of the rows that a call has put into a file, and how many
// there are; empty for other calls. The rows themselves pass the model by.
func (a *Agent) digestAdded(ctx context.Context, c provider.Call) (string, int64) {
	in, ok := ShownBy(c.Name, []byte(c.Arguments))
	if c.Name == tableTool || c.Name == chartTool || !ok || a.Frames == nil {
		return "", 0
	}
	frame, err := a.Frames(ctx, in)
	if err != nil {
		return "", 0
	}
	return DigestOf(frame), frame.Total
}

// ShownBy reads the arguments of a tool that shows rows or puts them into a file;
// false for other tools, and rows that Python has computed.
func ShownBy(tool string, arguments []byte) (FrameRequest, bool) {
	var in FrameRequest
	if !receipt.Shows(tool) || json.Unmarshal(arguments, &in) != nil || in.Frame != "" {
		return in, false
	}
	in.Rows, in.Cells = tableRows, tableCells
	switch tool {
	case tableTool:
	case chartTool:
		in.Rows = chartRows
	default:
		in.Path = "" // where the rows go
	}
	return in, true
}

func (a *Agent) shown(ctx context.Context, c provider.Call) (Event, map[string]any, error) {
	var in showIn
	if err := json.Unmarshal([]byte(c.Arguments), &in); err != nil {
		return Event{}, nil, wrong("the arguments do not fit the tool: "+err.Error(), "")
	}
	if (in.SQL == "") == (in.Frame == "") {
		return Event{}, nil, wrong("either sql or df_name says which rows", "Give one of them.")
	}
	in.Rows, in.Cells = tableRows, tableCells
	if c.Name == chartTool {
		if err := in.checkChart(); err != nil {
			return Event{}, nil, err
		}
		in.Rows = chartRows
	}
	frame, err := a.Frames(ctx, in.FrameRequest)
	if err != nil {
		return Event{}, nil, err
	}
	for _, text := range []*string{&in.Name, &in.Title, &in.Note} {
		*text, _ = a.filled(*text)
	}
	frame.Name, frame.SQL = in.Name, in.SQL
	told := map[string]any{"columns": frame.Columns, "column_types": frame.Types, "rows": frame.first(), "rows_shown": len(frame.Rows),
		"rows_total": frame.Total}
	if len(frame.Caveats) > 0 {
		told["caveats"] = frame.Caveats
	}
	if c.Name == tableTool {
		if int64(len(frame.Rows)) < frame.Total {
			told["note"] = fmt.Sprintf("the user sees the first %d rows only, and is told so", len(frame.Rows))
		}
		return Event{Type: EventDataFrame, Table: frame}, told, nil
	}
	if err := in.checkRows(frame); err != nil {
		return Event{}, nil, err
	}
	return Event{Type: EventChart, Chart: &Chart{Name: in.Name, SQL: in.SQL, Kind: in.Kind, Title: in.Title, Note: in.Note, X: in.X,
		XLabel: in.XLabel, YLabel: in.YLabel, Series: in.Series, Table: *frame}}, told, nil
}

func wrong(message, hint string) error {
	return &api.Error{Code: api.CodeValidation, Message: message, Hint: hint}
}

// checkChart validates the request for a chart.
func (in showIn) checkChart() error {
	switch {
	case !slices.Contains(chartKinds, in.Kind):
		return wrong("there is no chart '"+api.Clip(in.Kind, 40)+"'", "It is one of "+strings.Join(chartKinds, ", ")+".")
	case len(in.Series) == 0:
		return wrong("a chart needs at least one series", "")
	case len(in.Series) > chartSeries:
		return wrong(fmt.Sprintf("too many series (%d > %d limit)", len(in.Series), chartSeries), "Show fewer, or sum up the rest.")
	}
	return nil
}

// checkRows validates the rows of a chart.
func (in showIn) checkRows(frame *DataFrame) error {
	if frame.Total > chartRows {
		return wrong(fmt.Sprintf("too many rows (%d > %d limit)", frame.Total, chartRows),
			"Aggregate, or show the first with ORDER BY and LIMIT.")
	}
	if frame.Total == 0 {
		return wrong("there are no rows to draw", "Look at the conditions of the statement.")
	}
	known := strings.Join(frame.Columns, ", ")
	if !slices.Contains(frame.Columns, in.X) {
		return wrong("x_field: there is no column '"+api.Clip(in.X, 60)+"'", "Columns are "+api.Clip(known, 500)+".")
	}
	for _, s := range in.Series {
		i := slices.Index(frame.Columns, s.Field)
		if i < 0 {
			return wrong("y_field: there is no column '"+api.Clip(s.Field, 60)+"'", "Columns are "+api.Clip(known, 500)+".")
		}
		if t := frame.Types[i]; !slices.Contains([]string{"integer", "decimal", "float"}, t) {
			return wrong("y_field: the column '"+api.Clip(s.Field, 60)+"' is not a number but "+t, "Cast or count it in the statement.")
		}
	}
	return nil
}

// Frames returns rows of the toolbox that is behind these tools.
func (b *Boxed) Frames(ctx context.Context, in FrameRequest) (*DataFrame, error) {
	if in.Frame != "" {
		return nil, wrong("there are no data frames here", "Give sql.")
	}
	if b.folder != nil && in.Path != "" {
		if err := b.folder.Show(ctx, in.Path); err != nil {
			return nil, err
		}
	}
	out, answer := b.box.Result(ctx, local.ResultIn{SQL: in.SQL, Path: in.Path, Sheet: in.Sheet, Remote: in.Remote, Fetch: in.Fetch,
		Rows: in.Rows, Cells: in.Cells})
	if answer.Failed {
		return nil, failedAnswer{string(answer.Text)}
	}
	leave(ctx, answer)
	return &DataFrame{Columns: out.Columns, Types: out.Types, Rows: out.Rows, Total: out.Total, Caveats: out.Caveats}, nil
}
