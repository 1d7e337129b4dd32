package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
)

// New returns a server for the tools that cfg allows. With opens it has one client,
// for which it begins with few of them and opens others. Errors are those of
// toolbox.New.
func New(version string, cfg tool.Config, opens bool) (*mcp.Server, error) {
	box, err := toolbox.New(cfg)
	if err != nil {
		return nil, err
	}
	r := resources{box}
	all, lessons := box.Definitions(), box.Lessons()
	short := !opens && len(all) > toolbox.FewTools
	switch {
	case short:
		lessons = append(lessons, toolbox.LeftOut())
	case opens:
		lessons = toolbox.Lessons(func(name string) bool { return toolbox.SetOf(name) == "" })
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "da", Title: "Agnes", Version: version}, &mcp.ServerOptions{
		Instructions: strings.Join(lessons, "\n"),
		// No capability for logging: clients never get logs.
		Capabilities:      &mcp.ServerCapabilities{},
		CompletionHandler: r.complete,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.CacheScope = "private" // it depends on the caller
		},
	})
	if opens {
		(&opening{Server: s, box: box}).begin()
	} else {
		for _, t := range all {
			s.AddTool(definition(box, t, short), handler(box, t.Name))
		}
	}
	s.AddReceivingMiddleware(lean)
	r.add(s)
	addPrompt(s, box)
	return s, nil
}
