package toolbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/untrusted"
	"github.com/agnes-data/da/toolbox/tool"
)

// Call runs a tool by name. arguments is a JSON object. say, if not nil, gets
// progress messages of a long call, but none after Call has returned. Every error
// becomes an answer that the model can act on.
func (b *Box) Call(ctx context.Context, name string, arguments json.RawMessage, say func(message string)) tool.Answer {
	t, ok := b.tools.Named(name)
	if !ok {
		return b.call(false).Failed(ctx, name, &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there is no tool '%s'", api.Clip(name, 60))})
	}
	told := b.Request == nil && b.told.Load()
	answer := b.run(ctx, t, arguments, told, say)
	if untrusted.Explained(answer.Text) {
		b.told.Store(true)
	}
	return answer
}

// call begins a call. told says that the caller already knows what the marks mean.
func (b *Box) call(told bool) *tool.Call { return tool.NewCall(&b.Config, b.tools, told) }

// run is Call for an existing tool.
func (b *Box) run(ctx context.Context, t tool.Tool, arguments json.RawMessage, told bool, say func(message string)) tool.Answer {
	arguments = respelled(arguments, t.In)
	if b.Request != nil { // stop when the HTTP client has gone away
		var end context.CancelFunc
		ctx, end = context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(b.Request, end)()
	}
	isolate := b.Isolate
	if t.ByPath() && b.FileCalls != nil {
		isolate = b.FileCalls
	}
	if !t.Engine || isolate == nil {
		return b.call(told).Run(ctx, t, arguments, say)
	}
	memory := memoryOf(arguments)
	if t.Open { // the source has its own limits
		memory = 0
	}
	answer, err := isolated(ctx, isolate, Request{Tool: t.Name, Arguments: arguments, Progress: say != nil, Told: told}, memory, say)
	if err != nil {
		return b.call(told).Failed(ctx, t.Name, err)
	}
	return answer
}

// Serve answers a request from the box of another process.
func (b *Box) Serve(ctx context.Context, request json.RawMessage, say func(string)) json.RawMessage {
	var r Request
	_ = json.Unmarshal(request, &r) // an empty request is rejected
	if !r.Progress {
		say = nil
	}
	b.told.Store(r.Told)
	var answer tool.Answer
	if t, ok := unlisted().Named(r.Tool); ok {
		answer = b.run(ctx, t, r.Arguments, r.Told, nil)
	} else {
		answer = b.Call(ctx, r.Tool, r.Arguments, say)
	}
	doc, _ := json.Marshal(answer) // cannot fail: bytes and a bool
	return doc
}
