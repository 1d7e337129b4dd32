package local

import (
	"encoding/json"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/toolbox/tool"
)

// boundedFileIn is a local file and the maximum size of the answer.
type boundedFileIn struct {
	tool.FileIn
	tool.TimeIn
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

// parts returns the source, the time limit of the call (0: none given), and the
// size limit of the answer in bytes.
func (f boundedFileIn) parts() (src table.Source, limit time.Duration, budget int, err error) {
	if src, err = f.Source(); err != nil {
		return src, 0, 0, err
	}
	if limit, err = f.Timeout(); err != nil {
		return src, 0, 0, err
	}
	budget, err = tool.BudgetOf(f.MaxTokens)
	return src, limit, budget, err
}

// windowOf returns a file, the time limit of the call, and what collects the rows
// that fit into an answer.
func windowOf(f tool.FileIn, t tool.TimeIn, maxTokens int) (src table.Source, limit time.Duration, w *fit.Window, err error) {
	src, limit, _, err = boundedFileIn{f, t, maxTokens}.parts()
	return src, limit, &fit.Window{Options: fit.Options{MaxTokens: maxTokens, Reserve: tool.EnvelopeBytes}}, err
}

// show replaces the rows of an answer by those that fit, and says what is missing.
func show(w *fit.Window, columns, types *[]string, rows *[][]json.RawMessage, count *int64) (fit.Part, error) {
	shown, err := w.Shown(*columns, *types)
	*columns, *types, *rows, *count = shown.Columns, shown.Types, shown.Rows, int64(len(shown.Rows))
	return shown.Part, err
}

// takeWorded words the caveats of an answer before w counts their size.
func takeWorded(c *tool.Call, w *fit.Window) table.Taker {
	return func(head any) func(arrow.RecordBatch) {
		switch h := head.(type) {
		case table.Rows:
			c.Worded(h.Caveats)
		case table.Result:
			c.Worded(h.Caveats)
		}
		return w.Take(head)
	}
}
