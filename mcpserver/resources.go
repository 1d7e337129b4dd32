package mcpserver

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/untrusted"
)

// schemaURI begins the address of a table's schema as a resource.
const schemaURI = "da://schema/"

// listedResources is how many schemas a page of the list of resources has.
const listedResources = 100

// addResources offers the schemas of tables as resources.
func (d *door) addResources(s *mcp.Server) {
	if d.Service == nil {
		return
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: schemaURI + "{id}", Name: "schema", Title: "Schema of a table", MIMEType: "application/json",
		Description: "Columns, types, partitions and WHERE dialect of one table.",
	}, d.readSchema)
	// What tables there are is not known before somebody asks.
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if list, ok := req.(*mcp.ListResourcesRequest); ok && method == "resources/list" {
				return d.listSchemas(ctx, list)
			}
			return next(ctx, method, req)
		}
	})
}

// readSchema is the resource da://schema/{id}.
func (d *door) readSchema(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id := strings.TrimPrefix(req.Params.URI, schemaURI)
	svc, err := d.Service()
	if err != nil {
		return nil, d.protocolError(ctx, err)
	}
	if api.CheckName("table id", id) != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	schema, err := svc.Schema(ctx, id)
	if api.CodeUnknownTable.Is(err) || api.CodeForbidden.Is(err) {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, d.protocolError(ctx, err)
	}
	// A resource is read whole or not at all: what a client does with it is not
	// for a model alone.
	described, err := describe(schema, nil, math.MaxInt32)
	if err != nil {
		return nil, d.protocolError(ctx, err)
	}
	doc, err := marshal(described)
	if err != nil {
		return nil, d.protocolError(ctx, err)
	}
	text := untrusted.NewFence().Object(nil, untrusted.JSON(doc))
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(text)}}}, nil
}

// listSchemas lists the schemas of the tables that there are, by id. The cursor
// is the last id of the page before.
func (d *door) listSchemas(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	svc, err := d.Service()
	if err != nil {
		return nil, d.protocolError(ctx, err)
	}
	list, err := svc.Tables(ctx)
	if err != nil {
		return nil, d.protocolError(ctx, err)
	}
	cursor := ""
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	from, found := slices.BinarySearchFunc(list.Tables, cursor, func(t api.Table, id string) int { return strings.Compare(t.ID, id) })
	if found {
		from++
	}
	out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	for _, t := range list.Tables[from:] {
		if len(out.Resources) == listedResources {
			out.NextCursor = strings.TrimPrefix(out.Resources[len(out.Resources)-1].URI, schemaURI)
			break
		}
		out.Resources = append(out.Resources, &mcp.Resource{URI: schemaURI + t.ID, Name: t.ID, Title: "Schema of " + t.ID, MIMEType: "application/json"})
	}
	return out, nil
}

// complete offers the ids of tables that begin with what is there.
func (d *door) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if d.Service == nil || req.Params.Ref.Type != "ref/resource" || req.Params.Argument.Name != "id" {
		return out, nil
	}
	svc, err := d.Service()
	if err != nil {
		return nil, d.protocolError(ctx, err)
	}
	list, err := svc.Tables(ctx)
	if err != nil {
		return nil, d.protocolError(ctx, err)
	}
	for _, t := range list.Tables {
		if strings.HasPrefix(t.ID, req.Params.Argument.Value) {
			out.Completion.Total++
			if len(out.Completion.Values) < 100 { // the protocol's bound
				out.Completion.Values = append(out.Completion.Values, t.ID)
			}
		}
	}
	out.Completion.HasMore = out.Completion.Total > len(out.Completion.Values)
	return out, nil
}

// protocolError is an error outside of tools, in sentences; it tells as much as
// the same error of a tool does.
func (d *door) protocolError(ctx context.Context, err error) error {
	c := &call{door: d, fence: untrusted.NewFence()}
	e := c.known(ctx, tool{name: "resources"}, err)
	if d.Explain != nil {
		e = d.Explain(e)
	}
	text := inTools(api.Clip(e.Message, maxMessage))
	if e.Hint != "" {
		text += ". " + inTools(api.Clip(e.Hint, maxMessage))
	}
	if quotes(e) {
		text = c.fence.Notice() + " " + c.fence.Inline(text)
	}
	return errors.New(text)
}
