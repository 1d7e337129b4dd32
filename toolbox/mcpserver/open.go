package mcpserver

import (
	"context"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
)

// opening is a server that begins with the tools that most questions need, and adds
// others when its client asks for them.
type opening struct {
	*mcp.Server
	box    *toolbox.Box
	mu     sync.Mutex
	opened []string
}

// begin adds the tools that are there from the start, and the one that opens others.
func (o *opening) begin() {
	o.open("")
	about, in, ok := toolbox.Opener(func(set string) bool { return len(o.tools(set)) > 0 })
	if !ok {
		return
	}
	no := false
	o.AddTool(&mcp.Tool{
		Name: toolbox.OpenTool, Title: "Open more tools", Description: about, InputSchema: in,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no},
	}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		set := toolbox.Opens(toolbox.OpenTool, string(req.Params.Arguments), toolbox.SetOf)
		var names []string
		for _, t := range o.tools(set) {
			names = append(names, t.Name)
		}
		if set == "" || len(names) == 0 {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: `{"error":{"code":"usage","message":"the argument 'set' names no set of tools","hint":"` + about + `","retryable":false}}`}}}, nil
		}
		o.open(set)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(toolbox.Opened(names, toolbox.SetOf))}}}, nil
	})
	// A client that knows a tool's name may call it at once.
	o.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if call, ok := req.(*mcp.CallToolRequest); ok {
				o.open(toolbox.SetOf(call.Params.Name))
			}
			return next(ctx, method, req)
		}
	})
}

// open adds the tools of a set, once.
func (o *opening) open(set string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Contains(o.opened, set) {
		return
	}
	o.opened = append(o.opened, set)
	all := o.tools(set)
	for _, t := range all {
		o.AddTool(definition(o.box, t, len(all) > toolbox.FewTools), handler(o.box, t.Name))
	}
}

func (o *opening) tools(set string) (of []tool.Tool) {
	for _, t := range o.box.Definitions() {
		if toolbox.SetOf(t.Name) == set {
			of = append(of, t)
		}
	}
	return of
}
