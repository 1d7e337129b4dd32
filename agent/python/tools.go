package python

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// callTime is the maximum duration of one call.
const callTime = 15 * time.Minute

// Tools are the tools of a conversation, plus Python.
type Tools struct {
	agent.Tools
	session *Session
	put     Put
	files   *fileCalls // nil: code has no files
}

// Dataset says which rows Python is given.
type Dataset struct {
	Name    string
	Sheet   string   // of a workbook; empty: the first that is shown
	Columns []string // empty: all
	Rows    int64    // the first; 0: all
	// Parquet asks for a Parquet file, which may contain all rows and columns if
	// that is simpler; otherwise for lines of JSON, one object per line, with
	// only the requested rows and columns.
	Parquet bool
}

// Placed is a data set in a folder.
type Placed struct {
	Base string // of its file
	// Columns and Types describe lines of JSON.
	Columns, Types []string
	// Caveats are those of the rows.
	Caveats []api.Caveat
}

// Put places a data set in a folder that Python reads.
type Put func(ctx context.Context, d Dataset, dir string) (Placed, error)

// With adds Python to tools. put places data sets; it may be nil. Code can call the
// tools for files, which run as the model's own calls do.
func (s *Session) With(tools agent.Tools, put Put, files []agent.Tool) *Tools {
	return &Tools{Tools: tools, session: s, put: put, files: newFileCalls(tools, files)}
}

// ReplTool is the tool that runs code.
const ReplTool = "python_repl"

// Ran reports whether a conversation has run code or loaded data, and so has had
// variables.
func Ran(records []conversation.Record) bool {
	return slices.ContainsFunc(records, func(r conversation.Record) bool {
		return slices.Contains([]string{ReplTool, fullTool, sampleTool, columnsTool}, r.Tool)
	})
}

const (
	fullTool    = "load_dataset_full"
	sampleTool  = "load_dataset_sample"
	columnsTool = "load_dataset_columns"
)

// List implements agent.Tools.
func (t *Tools) List() []agent.Tool {
	i := t.session.with
	modules := "the standard library alone"
	if len(i.Modules) > 0 {
		modules = "the standard library, " + strings.Join(i.Modules, ", ")
	}
	short := ""
	if slices.Contains(i.Modules, "pandas") {
		short = "pandas and numpy need no import as pd and np. "
	}
	files := ""
	if t.files != nil {
		files = "The tools file_*, spreadsheet_*, pdf_* and image_* are functions: files.read_text(\"a.md\"), files.spreadsheet.read_range(\"b.xlsx\", \"May\", \"A1:C9\"); dir(files) lists them, help(files.copy) tells arguments. "
	}
	list := append(t.Tools.List(), tool(ReplTool, "Runs code in this conversation's Python "+i.Version+" ("+modules+
		"). Variables stay from call to call. "+
		short+files+"The value of a last expression is shown. No network, no other programs, no files but its working folder, which nobody sees; 2 GB. Figures are drawn by send_chart_to_ui.",
		`"code": {"type": "string"}`, "code"))
	if t.put == nil {
		return list
	}
	name := `"name": {"type": "string", "description": "a snapshot, or a file of the workspace"}, "sheet": {"type": "string", "description": "of a workbook; default the first that is shown"}, "df_name": {"type": "string", "description": "the variable for the data frame"}`
	return append(list,
		tool(sampleTool, "Loads the first rows of a snapshot or file into a variable of Python. Begin with this for large ones.",
			name+`, "nrows": {"type": "integer", "minimum": 1}`, "name", "df_name", "nrows"),
		tool(columnsTool, "Loads some columns of a snapshot or file, all rows, into a variable of Python.",
			name+`, "columns": {"type": "array", "items": {"type": "string"}, "minItems": 1}`, "name", "columns", "df_name"),
		tool(fullTool, "Loads a whole snapshot or file into a variable of Python. Prefer columns or first rows of large ones.", name, "name",
			"df_name"))
}

func tool(name, about, properties string, required ...string) agent.Tool {
	must, _ := json.Marshal(required) // a list of strings cannot fail
	schema := fmt.Sprintf(`{"type": "object", "properties": {%s}, "required": %s, "additionalProperties": false}`, properties, must)
	return agent.Tool{Tool: provider.Tool{Name: name, About: about, Schema: json.RawMessage(schema)}, Time: callTime}
}

// Call implements agent.Tools.
func (t *Tools) Call(ctx context.Context, name string, arguments json.RawMessage) (string, bool) {
	var in struct {
		Code    string   `json:"code"`
		Name    string   `json:"name"`
		Sheet   string   `json:"sheet"`
		DfName  string   `json:"df_name"`
		Rows    int64    `json:"nrows"`
		Columns []string `json:"columns"`
	}
	switch name {
	case ReplTool, fullTool, sampleTool, columnsTool:
	default:
		return t.Tools.Call(ctx, name, arguments)
	}
	if err := json.Unmarshal(arguments, &in); err != nil {
		return agent.Failed(&api.Error{Code: api.CodeUsage, Message: "the arguments do not fit the tool: " + err.Error()})
	}
	if name == ReplTool {
		return answered(t.session.ask(ctx, request{Code: in.Code, files: t.files, Files: t.files.signatures()}))
	}
	if t.put == nil {
		return agent.Failed(&api.Error{Code: api.CodeUsage, Message: "there are no data sets here"})
	}
	if !variable().MatchString(in.DfName) {
		return agent.Failed(&api.Error{Code: api.CodeUsage, Message: "df_name is not the name of a variable"})
	}
	placed, err := t.put(ctx, Dataset{Name: in.Name, Sheet: in.Sheet, Columns: in.Columns, Rows: in.Rows,
		Parquet: t.session.with.reader() != ""}, t.session.Data())
	if err != nil {
		return agent.Failed(err)
	}
	defer func() { _ = os.Remove(filepath.Join(t.session.Data(), placed.Base)) }() // the data frame has it
	return answered(t.session.Load(ctx, placed, in.DfName, in.Columns, in.Rows))
}

// Frames adds data frames of Python to the rows from others.
func (t *Tools) Frames(others func(context.Context, agent.FrameRequest) (*agent.DataFrame,
	error)) func(context.Context, agent.FrameRequest) (*agent.DataFrame, error) {
	return func(ctx context.Context, in agent.FrameRequest) (*agent.DataFrame, error) {
		if in.Frame == "" {
			return others(ctx, in)
		}
		r, err := t.session.Frame(ctx, in.Frame, in.Rows)
		if err != nil {
			return nil, err
		}
		if r.Kind != "frame" {
			return nil, &api.Error{Code: api.CodeValidation, Message: r.Text}
		}
		most := min(int64(len(r.Rows)), in.Cells/int64(max(len(r.Columns), 1)))
		return &agent.DataFrame{Columns: r.Columns, Types: r.Types, Rows: r.Rows[:most], Total: r.RowCount,
			Caveats: append([]api.Caveat{}, r.Caveats...)}, nil
	}
}

// variable matches names of variables.
var variable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

func answered(r *Result, err error) (string, bool) {
	if err != nil {
		return agent.Failed(err)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // a traceback is full of <module>
	if err := enc.Encode(r); err != nil {
		return agent.Failed(err)
	}
	return strings.TrimSpace(text.String()), r.Kind == "error"
}
