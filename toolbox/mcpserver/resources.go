package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox"
)

// schemaURI and toolURI are the URI prefixes of the resources for table schemas
// and tools.
const (
	schemaURI = "da://schema/"
	toolURI   = "da://tool/"
)

// listedResources is the page size of the list of resources.
const listedResources = 100

// resources offers the schemas of tables and tools as resources.
type resources struct{ box *toolbox.Box }

func (r resources) add(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: toolURI + "{name}", Name: "tool", Title: "What a tool answers", MIMEType: "application/json",
		Description: "JSON schema of one tool's answer, which tools/list leaves out.",
	}, r.readTool)
	if r.box.Data == nil {
		return
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: schemaURI + "{id}", Name: "schema", Title: "Schema of a table", MIMEType: "application/json",
		Description: "Columns, types, partitions and WHERE dialect of one table.",
	}, r.readSchema)
	// The tables are not known before a client asks for them.
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if list, ok := req.(*mcp.ListResourcesRequest); ok && method == "resources/list" {
				return r.list(ctx, list)
			}
			return next(ctx, method, req)
		}
	})
}

// readSchema reads the resource da://schema/{id}.
func (r resources) readSchema(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	text, err := r.box.Schema(ctx, strings.TrimPrefix(req.Params.URI, schemaURI))
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json",
		Text: string(text)}}}, nil
}

// readTool reads the resource da://tool/{name}.
func (r resources) readTool(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	for _, t := range r.box.Definitions() {
		if t.Name != strings.TrimPrefix(req.Params.URI, toolURI) {
			continue
		}
		text, err := json.Marshal(t.Out)
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json",
			Text: string(text)}}}, err
	}
	return nil, mcp.ResourceNotFoundError(req.Params.URI)
}

// list lists the schemas of existing tables, by id. The cursor is the last id of
// the page before.
func (r resources) list(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	list, err := r.box.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	cursor := ""
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	from, found := slices.BinarySearchFunc(list, cursor, func(t api.Table, id string) int { return strings.Compare(t.ID, id) })
	if found {
		from++
	}
	out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	for _, t := range list[from:] {
		if len(out.Resources) == listedResources {
			out.NextCursor = strings.TrimPrefix(out.Resources[len(out.Resources)-1].URI, schemaURI)
			break
		}
		out.Resources = append(out.Resources, &mcp.Resource{URI: schemaURI + t.ID, Name: t.ID, Title: "Schema of " + t.ID,
			MIMEType: "application/json"})
	}
	return out, nil
}

// complete returns the table ids with the given prefix.
func (r resources) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if r.box.Data == nil || req.Params.Ref.Type != "ref/resource" || req.Params.Argument.Name != "id" {
		return out, nil
	}
	list, err := r.box.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		if strings.HasPrefix(t.ID, req.Params.Argument.Value) {
			out.Completion.Total++
			if len(out.Completion.Values) < 100 { // the protocol's limit
				out.Completion.Values = append(out.Completion.Values, t.ID)
			}
		}
	}
	out.Completion.HasMore = out.Completion.Total > len(out.Completion.Values)
	return out, nil
}
