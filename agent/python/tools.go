package python

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/lazyregexp"
)

// callTime is how long one call may run.
const callTime = 15 * time.Minute

// Tools are those of a conversation, and Python beside them.
type Tools struct {
	agent.Tools
	session *Session
	// put places a data set in a folder as a parquet file and returns its base
	// name.
	put func(name, dir string) (base string, err error)
}

// With adds Python to tools. put places a data set, by its name, in a folder as
// a parquet file and returns the file's base name there; nil: there are none.
func (s *Session) With(tools agent.Tools, put func(name, dir string) (base string, err error)) *Tools {
	return &Tools{Tools: tools, session: s, put: put}
}

const (
	replTool    = "python_repl"
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
	list := append(t.Tools.List(), tool(replTool, "Runs code in this conversation's Python "+i.Version+" ("+modules+"). Variables stay from call to call. "+
		"The value of a last expression is shown. No network, no other programs, no files but its working folder; 2 GB.",
		`"code": {"type": "string"}`, "code"))
	if i.reader() == "" || t.put == nil {
		return list
	}
	name := `"name": {"type": "string", "description": "a snapshot"}, "df_name": {"type": "string", "description": "the variable for the data frame"}`
	return append(list,
		tool(sampleTool, "Loads the first rows of a snapshot into a variable of Python. Begin with this for large ones.", name+`, "nrows": {"type": "integer", "minimum": 1}`, "name", "df_name", "nrows"),
		tool(columnsTool, "Loads some columns of a snapshot, all rows, into a variable of Python.", name+`, "columns": {"type": "array", "items": {"type": "string"}, "minItems": 1}`, "name", "columns", "df_name"),
		tool(fullTool, "Loads a whole snapshot into a variable of Python. Prefer columns or first rows of large ones.", name, "name", "df_name"))
}

func tool(name, about, properties string, required ...string) agent.Tool {
	must, _ := json.Marshal(required) // texts
	schema := fmt.Sprintf(`{"type": "object", "properties": {%s}, "required": %s, "additionalProperties": false}`, properties, must)
	return agent.Tool{Tool: provider.Tool{Name: name, About: about, Schema: json.RawMessage(schema)}, Time: callTime}
}

// Call implements agent.Tools.
func (t *Tools) Call(ctx context.Context, name string, arguments json.RawMessage) (string, bool) {
	var in struct {
		Code    string   `json:"code"`
		Name    string   `json:"name"`
		DfName  string   `json:"df_name"`
		Rows    int64    `json:"nrows"`
		Columns []string `json:"columns"`
	}
	switch name {
	case replTool, fullTool, sampleTool, columnsTool:
	default:
		return t.Tools.Call(ctx, name, arguments)
	}
	if err := json.Unmarshal(arguments, &in); err != nil {
		return agent.Failed(&api.Error{Code: api.CodeUsage, Message: "the arguments do not fit the tool: " + err.Error()})
	}
	if name == replTool {
		return answered(t.session.Run(ctx, in.Code))
	}
	if t.put == nil || t.session.with.reader() == "" {
		return agent.Failed(&api.Error{Code: api.CodeUsage, Message: "this Python reads no snapshots"})
	}
	if !variable().MatchString(in.DfName) {
		return agent.Failed(&api.Error{Code: api.CodeUsage, Message: "df_name is not the name of a variable"})
	}
	base, err := t.put(in.Name, t.session.Data())
	if err != nil {
		return agent.Failed(err)
	}
	return answered(t.session.Load(ctx, base, in.DfName, in.Columns, in.Rows))
}

// Frames adds data frames of Python to the rows that others give.
func (t *Tools) Frames(others func(context.Context, agent.FrameRequest) (*agent.DataFrame, error)) func(context.Context, agent.FrameRequest) (*agent.DataFrame, error) {
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
		return &agent.DataFrame{Columns: r.Columns, Types: r.Types, Rows: r.Rows[:most], Total: r.RowCount}, nil
	}
}

// variable matches names of variables.
var variable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

func answered(r *Result, err error) (string, bool) {
	if err != nil {
		return agent.Failed(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return agent.Failed(err)
	}
	return string(text), r.Kind == "error"
}
