package toolbox

import (
	"context"
	"encoding/json"

	"github.com/agnes-data/da/toolbox/local"
	"github.com/agnes-data/da/toolbox/tool"
)

func (b *Box) runUnlisted(ctx context.Context, name string, arguments json.RawMessage) tool.Answer {
	t, _ := unlisted().Named(name)
	return b.run(ctx, t, arguments, false, nil)
}

// Result returns the first rows of a statement for a program. On failure the
// Answer is a tool's failed answer.
func (b *Box) Result(ctx context.Context, in local.ResultIn) (*local.ResultOut, tool.Answer) {
	arguments, err := tool.Marshal(in)
	if err != nil {
		panic(err) // cannot fail: plain fields
	}
	answer := b.runUnlisted(ctx, "result_rows", arguments)
	var out local.ResultOut
	if !answer.Failed && json.Unmarshal(answer.Text, &out) != nil {
		return nil, tool.Answer{Failed: true}
	}
	return &out, answer
}

// Export writes the rows of a statement over a local file, which it names data,
// to a target file, which is overwritten. On failure the Answer is a tool's
// failed answer.
func (b *Box) Export(ctx context.Context, path, sheet, sql, target, format string) tool.Answer {
	arguments, err := tool.Marshal(map[string]any{"path": path, "sheet": sheet, "query": sql, "target_path": target, "format": format,
		"force": true})
	if err != nil {
		panic(err) // cannot fail: plain fields
	}
	return b.runUnlisted(ctx, "place_rows", arguments)
}
