package tool

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/untrusted"
)

// Suggest sets the suggested next call, if the box has its tool.
func (c *Call) Suggest(why, tool string, arguments map[string]any) {
	if _, ok := c.tools.Named(tool); ok {
		c.next = &Step{Tool: tool, Arguments: arguments, Why: why}
	}
}

// Run runs a tool in this process. say, if not nil, gets progress messages of a long
// call, but none after Run has returned.
func (c *Call) Run(ctx context.Context, t Tool, arguments json.RawMessage, say func(message string)) Answer {
	if t.Long && say != nil {
		c.Progress = startProgress(ctx, say, c.Now)
		defer c.Progress.end()
	}
	out, err := catch(func() (any, error) { return t.run(ctx, c, arguments) })
	if c.NoteFile != nil && t.Needs&NeedsSpace != 0 {
		err = c.note(ctx, t.Name, arguments, err)
	}
	if err != nil {
		return c.Failed(ctx, t.Name, err)
	}
	doc, err := c.encode(out)
	if err != nil {
		return c.Failed(ctx, t.Name, err)
	}
	failing, ok := out.(interface{ AllFailed() bool })
	answer := Answer{Text: doc, Failed: ok && failing.AllFailed(), Inputs: c.inputs}
	if drawn, ok := out.(interface{ Picture() []byte }); ok {
		answer.Picture = drawn.Picture()
	}
	return answer
}

// encode writes an answer with marks around it.
func (c *Call) encode(out any) ([]byte, error) {
	doc, err := Marshal(out)
	if err != nil {
		return nil, err
	}
	var front []byte
	if c.next != nil {
		if front, err = Marshal(map[string]any{"next": c.next}); err != nil {
			return nil, err
		}
	}
	object := c.fence.Object
	if c.told {
		object = c.fence.Marked
	}
	return object(untrusted.JSON(front), untrusted.JSON(doc)), nil
}

// note audits how a call on the workspace ended, with its file if there is one. It returns the call's error, or that of the audit.
func (c *Call) note(ctx context.Context, tool string, arguments json.RawMessage, err error) error {
	var in struct {
		Path, ID, Name string
		FileID         string `json:"file_id"`
		OutputName     string `json:"output_name"`
	}
	_ = json.Unmarshal(arguments, &in) // the tool has rejected anything else
	var about api.FileSubject
	ref := cmp.Or(in.Path, in.ID, in.FileID, in.Name, in.OutputName)
	if w, failed := c.Space(); failed == nil && ref != "" {
		if f, missing := w.Info(ctx, ref); missing == nil {
			about = f.Subject()
		}
	}
	return c.NoteFile(context.WithoutCancel(ctx), tool, about, err)
}

// Query runs a statement over what is here, or fetches what it needs.
func (c *Call) Query(ctx context.Context, sql string, portable, fetches bool) (*query.Result, error) {
	if fetches {
		return c.QueryFetch(ctx, sql, plan.Options{Portable: portable})
	}
	return c.Reads(query.Run(ctx, c.Work, sql, portable, plan.Brief))
}

// Reads notes for receipts what a statement of the call reads.
func (c *Call) Reads(result *query.Result, err error) (*query.Result, error) {
	if err == nil {
		c.inputs = append(c.inputs, result.Inputs...)
	}
	return result, err
}

// QueryFetch runs a statement that can name tables of the catalog.
func (c *Call) QueryFetch(ctx context.Context, sql string, o plan.Options) (*query.Result, error) {
	o.MaxBytes, o.Kept, o.OnProgress = c.FetchMaxBytes, c.Kept, c.Progress.Rows
	return c.Reads(plan.Query(ctx, c.Work, sql, o))
}

// Tells returns the rows with caveats whose steps are worded as calls of tools.
func (c *Call) Tells(rows api.Rows) api.Rows {
	return api.WithCaveats(rows, func() []api.Caveat { return c.Worded(rows.Caveats()) })
}
