package python

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
)

// fileCalls lets code call the tools for files of the workspace, with the same rights,
// drafts and records as the model.
type fileCalls struct {
	tools     agent.Tools
	arguments map[string][]string // of each tool, in the order in which code may give them
}

// mostFileCalls bounds those of one run.
const mostFileCalls = 500

// fileCall is a call by code.
type fileCall struct {
	Tool      string          `json:"call,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// fileAnswer is what code gets.
type fileAnswer struct {
	Answer json.RawMessage `json:"answer"`
	Failed bool            `json:"failed"`
}

// late are arguments that stand behind the others.
var late = []string{"if_version", "encoding", "password", "max_tokens", "max_bytes"}

func newFileCalls(tools agent.Tools, files []agent.Tool) *fileCalls {
	if len(files) == 0 {
		return nil
	}
	f := &fileCalls{tools, map[string][]string{}}
	for _, t := range files {
		var schema struct {
			Properties api.Row `json:"properties"`
		}
		_ = json.Unmarshal(t.Schema, &schema) // of our own making
		names := schema.Properties.Columns
		isLate := func(name string) bool { return slices.Contains(late, name) }
		f.arguments[t.Name] = slices.Concat(slices.DeleteFunc(slices.Clone(names), isLate),
			slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isLate(name) }))
	}
	return f
}

func (f *fileCalls) signatures() map[string][]string {
	if f == nil {
		return nil
	}
	return f.arguments
}

// call runs a call, the n-th of its run, and returns a line for the code.
func (f *fileCalls) call(ctx context.Context, c fileCall, n int) []byte {
	var text string
	failed := true
	switch {
	case f.arguments[c.Tool] == nil:
		text, _ = agent.Failed(&api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there is no tool '%s' for files", api.Clip(c.Tool, 60))})
	case n > mostFileCalls:
		text, _ = agent.Failed(&api.Error{Code: api.CodeBudget, Message: fmt.Sprintf("one run may call tools for files %d times", mostFileCalls)})
	default:
		text, failed = f.tools.Call(ctx, c.Tool, c.Arguments)
	}
	line, err := json.Marshal(fileAnswer{json.RawMessage(text), failed})
	if err != nil { // an answer that is not JSON
		line, _ = json.Marshal(map[string]any{"answer": text, "failed": failed})
	}
	return line
}
