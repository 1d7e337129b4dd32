package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
)

// definition describes a tool to clients. It leaves out the schema of the answer:
// these schemas are more than half of the size of all definitions, and few
// clients show them to their models. A resource of each tool has it. A short one is for
// a list of many tools.
func definition(box *toolbox.Box, t tool.Tool, short bool) *mcp.Tool {
	d := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.About, InputSchema: box.Listed(t, short),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.ReadOnly, IdempotentHint: t.Idempotent, OpenWorldHint: &t.Open},
	}
	if !t.ReadOnly { // what reads does not destroy
		d.Annotations.DestructiveHint = &t.Destructive
	}
	if short {
		d.Title = ""
	}
	return d
}

// toolList is a list of tools without the hints that say what the protocol takes for
// granted: models pay for them with each request. The library always writes them.
// Source: ToolAnnotations of the Model Context Protocol, 2025-06-18.
type toolList struct{ *mcp.ListToolsResult }

// hints are the annotations of a tool that differ from the protocol's defaults.
type hints struct {
	ReadOnly    bool  `json:"readOnlyHint,omitempty"`
	Idempotent  bool  `json:"idempotentHint,omitempty"` // of a tool that writes
	Destructive *bool `json:"destructiveHint,omitempty"`
	Open        *bool `json:"openWorldHint,omitempty"` // false
}

func (l toolList) MarshalJSON() ([]byte, error) {
	type tool struct {
		*mcp.Tool
		Annotations hints `json:"annotations"`
	}
	list := struct {
		*mcp.ListToolsResult
		Tools []tool `json:"tools"`
	}{ListToolsResult: l.ListToolsResult}
	for _, t := range l.Tools {
		a := t.Annotations
		h := hints{ReadOnly: a.ReadOnlyHint, Idempotent: a.IdempotentHint && !a.ReadOnlyHint, Destructive: a.DestructiveHint}
		if a.OpenWorldHint != nil && !*a.OpenWorldHint {
			h.Open = a.OpenWorldHint
		}
		list.Tools = append(list.Tools, tool{t, h})
	}
	return json.Marshal(list)
}

// lean answers tools/list by a toolList.
func lean(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			return toolList{list}, nil
		}
		return res, err
	}
}

// handler calls a tool. It never returns an error, because that would be a
// protocol error, which a model cannot act on.
func handler(box *toolbox.Box, name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := box.Call(ctx, name, req.Params.Arguments, progress(ctx, req))
		res := &mcp.CallToolResult{IsError: answer.Failed, Content: []mcp.Content{&mcp.TextContent{Text: string(answer.Text)}}}
		if !answer.Failed {
			res.StructuredContent = json.RawMessage(answer.Text)
		}
		if answer.Picture != nil {
			res.Content = append(res.Content, &mcp.ImageContent{Data: answer.Picture, MIMEType: "image/png"})
		}
		return res, nil
	}
}

// progress returns a function that sends progress messages; nil if the client did
// not ask for them.
func progress(ctx context.Context, req *mcp.CallToolRequest) func(message string) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	count := 0.0
	return func(message string) {
		count++
		// If the client is gone, its context ends the call.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: count, Message: message})
	}
}
