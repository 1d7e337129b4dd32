package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/descriptors"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/guard/untrusted"
)

// Failure is the answer of a failed call.
type Failure struct {
	Notice string      `json:"notice,omitempty"` // if the message quotes data
	Next   *Step       `json:"next,omitempty"`
	Error  FailureBody `json:"error"`
}

// FailureBody says what went wrong.
type FailureBody struct {
	Code      api.Code       `json:"code"`
	Kind      string         `json:"kind,omitempty"`
	Message   string         `json:"message"`
	Hint      string         `json:"hint,omitempty"`
	Retryable bool           `json:"retryable"` // the same call may succeed later
	RequestID string         `json:"request_id,omitempty"`
	Details   map[string]any `json:"details,omitempty"`
}

// quotes reports whether a message comes from an engine or a file and can
// therefore quote text from data.
func quotes(e *api.Error) bool {
	switch e.Code {
	case api.CodeQueryFailed, api.CodeSource, api.CodeReadFailed, api.CodeStreamCut:
		return true
	case api.CodeQuota: // the warehouse's quota, not the server's
		return e.Kind == api.KindWarehouseQuota
	case api.CodeValidation: // from the table tools, where the cause comes from an engine or the gate
		return e.Err != nil && !api.CodeStatement.Is(e.Err)
	}
	return false
}

// naming lists the details with names that the hint quotes: columns and sheets,
// whose names the author of the data has chosen.
var naming = []string{"suggestions", "columns", "together", "sheets", "column", "missing"}

// named returns the strings in a detail, also if it was decoded from a server's
// JSON.
func named(detail any) []string {
	var out []string
	switch d := detail.(type) {
	case string:
		out = append(out, d)
	case []string:
		out = append(out, d...)
	case []any:
		for _, part := range d {
			out = append(out, named(part)...)
		}
	case map[string][]string:
		for _, part := range d {
			out = append(out, part...)
		}
	case map[string]any:
		for _, part := range d {
			out = append(out, named(part)...)
		}
	}
	return out
}

// mark puts marks around quoted names that could be read as instructions.
func (c *Call) mark(body *Failure) {
	for _, key := range naming {
		names := named(body.Error.Details[key])
		if !slices.ContainsFunc(names, wordy) {
			continue
		}
		body.Notice = c.fence.Notice()
		if body.Error.Hint != "" && !strings.HasPrefix(body.Error.Hint, c.fence.Begin()) {
			body.Error.Hint = c.fence.Inline(body.Error.Hint)
		}
		for i, name := range names {
			if !strings.HasPrefix(body.Error.Message, c.fence.Begin()) && strings.Contains(body.Error.Message, name) && wordy(name) {
				body.Error.Message = c.fence.Inline(body.Error.Message)
			}
			names[i] = c.fence.Inline(name)
		}
		if _, one := body.Error.Details[key].(string); one {
			body.Error.Details[key] = names[0]
		} else {
			body.Error.Details[key] = names
		}
	}
	delete(body.Error.Details, "columns") // the hint contains them
}

// wordy reports whether a name, or a comma-separated list of names, could be read
// as more than a name.
func wordy(name string) bool {
	return len(name) > maxWord || strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '.' && r != ',' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// maxWord is the maximum length of a name that counts as harmless.
const maxWord = 64

// Failed turns an error into a tool's answer.
func (c *Call) Failed(ctx context.Context, name string, err error) Answer {
	body := c.FailureOf(ctx, name, err)
	doc, err := Marshal(body)
	if err != nil { // details that cannot be encoded are a bug of ours; still send the rest
		body.Error.Details = nil
		doc, _ = Marshal(body)
	}
	return Answer{Text: untrusted.JSON(doc), Failed: true}
}

// FailureOf words an error for a model.
func (c *Call) FailureOf(ctx context.Context, name string, err error) Failure {
	e := c.sharedError(ctx, name, err)
	if c.Explain != nil {
		e = c.Explain(e)
	}
	next := c.firstCall(e.Next)
	details := map[string]any{}
	maps.Copy(details, e.Details)
	delete(details, "item") // it is in the arguments of the call
	body := Failure{Next: next, Error: FailureBody{
		Code: e.Code, Kind: e.Kind, Message: api.Clip(e.Message, maxMessage), Hint: c.hint(e, next),
		Retryable: e.Retryable(), RequestID: cmp.Or(e.RequestID, c.RequestID), Details: details,
	}}
	if quotes(e) {
		body.Notice = c.fence.Notice()
		body.Error.Message = c.fence.Inline(body.Error.Message)
	}
	if cause, ok := body.Error.Details["cause"].(string); ok && quotes(e) {
		body.Error.Details["cause"], body.Error.Hint = c.fence.Inline(cause), c.fence.Inline(body.Error.Hint)
	}
	c.listSnapshots(e, &body)
	c.mark(&body)
	return body
}

// Sentence returns an error that occurs outside of a tool. It reveals as much as
// a tool's error.
func (c *Call) Sentence(ctx context.Context, err error) error {
	e := c.sharedError(ctx, "resources", err)
	if c.Explain != nil {
		e = c.Explain(e)
	}
	text := api.Clip(e.Message, maxMessage)
	if hint := c.hint(e, nil); hint != "" {
		text += ". " + hint
	}
	if quotes(e) {
		text = c.fence.Notice() + " " + c.fence.Inline(text)
	}
	return errors.New(text)
}

// mostListed limits how many names an error lists.
const mostListed = 20

// listSnapshots adds the existing snapshots to an error about an unknown one.
func (c *Call) listSnapshots(e *api.Error, body *Failure) {
	if e.Code != api.CodeUnknownSnapshot || c.Work == nil {
		return
	}
	all, err := keep.List(c.Work)
	if err != nil {
		return // keep the error without the list
	}
	names := []string{}
	for _, m := range all.Whole {
		names = append(names, m.Name)
	}
	switch {
	case len(names) == 0:
		body.Error.Hint = "There are no snapshots yet; 'fetch' makes one."
	case len(names) <= mostListed:
		body.Error.Hint = strings.TrimSpace(body.Error.Hint + " Snapshots are " + strings.Join(names, ", ") + ".")
	}
	body.Error.Details["snapshots"] = names[:min(len(names), mostListed)]
}

// sharedError turns any error into one of the shared vocabulary. Other errors are bugs
// of ours: they are logged, and the model only learns that one occurred.
func (c *Call) sharedError(ctx context.Context, name string, err error) *api.Error {
	var e *api.Error
	switch {
	case ctx.Err() != nil:
		return &api.Error{Code: api.CodeInterrupted, Message: "the call was cancelled", Err: err}
	case c.Request == nil && descriptors.Exhausted(err):
		return descriptors.Here(err)
	case descriptors.Exhausted(err):
		return descriptors.Served(err)
	case errors.As(err, &e) && (!c.hidden(e) || ofOwnFile(err, e)):
		return e
	case errors.Is(err, context.Canceled):
		return &api.Error{Code: api.CodeInterrupted, Message: "the call was cancelled", Err: err}
	}
	if duckdb.IsOutOfMemory(err) {
		return api.OutOfMemory(err)
	}
	attrs := []slog.Attr{slog.String("tool", name), slog.String("request_id", c.RequestID),
		slog.String("cause", api.Clip(err.Error(), maxMessage))}
	var p *panicked
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	c.Log.LogAttrs(ctx, slog.LevelError, "tool failed", attrs...)
	if c.Request != nil {
		return &api.Error{Code: api.CodeInternal, Message: "internal error", Err: err}
	}
	return &api.Error{Code: api.CodeUnexpected, Message: "unexpected error in da itself", Err: err}
}

// hidden reports whether an error must not be shown to others: over HTTP, the
// errors that the server's other routes hide, too.
func (c *Call) hidden(e *api.Error) bool {
	return c.Request != nil && e.Code != api.CodeUsage && e.Code.HTTPStatus() == api.CodeInternal.HTTPStatus()
}

// ownFile is an error about a file of the caller's, who may know what is wrong with it.
type ownFile struct{ error }

// Unwrap returns the error.
func (o ownFile) Unwrap() error { return o.error }

// ofOwnFile reports whether an error says what is wrong with a file of the caller's or
// with what was asked of it. A fault of the machine, which names its path, does not.
func ofOwnFile(err error, e *api.Error) bool {
	var own ownFile
	var fault *fs.PathError
	return errors.As(err, &own) && !errors.As(err, &fault) && (e.Code == api.CodeValidation || e.Code == api.CodeReadFailed)
}

// panicked is a recovered panic as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// catch runs f and returns a panic as an error.
func catch(f func() (any, error)) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{value: p, stack: debug.Stack()}
		}
	}()
	return f()
}
