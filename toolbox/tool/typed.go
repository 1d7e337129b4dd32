package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/agnes-data/da/workspace"
)

// Typed completes a tool. Its schemas are made from the structs In and Out.
func Typed[In, Out any](t Tool, run func(context.Context, *Call, In) (Out, error)) Tool {
	return shaped(t, reflect.TypeFor[In](), reflect.TypeFor[Out](),
		func(ctx context.Context, c *Call, in any) (any, error) { return run(ctx, c, *in.(*In)) })
}

// Spaced is Typed for a tool that works on the workspace.
func Spaced[In, Out any](t Tool, run func(context.Context, *workspace.Workspace, In) (Out, error)) Tool {
	return SpacedAs(t, reflect.TypeFor[In](), reflect.TypeFor[Out](),
		func(ctx context.Context, w *workspace.Workspace, in any) (any, error) { return run(ctx, w, *in.(*In)) })
}

// SpacedAs is Spaced for types that are known only at run time.
func SpacedAs(t Tool, in, out reflect.Type, run func(context.Context, *workspace.Workspace, any) (any, error)) Tool {
	t.Needs = NeedsSpace
	return shaped(t, in, out, func(ctx context.Context, c *Call, in any) (any, error) {
		w, err := c.Space()
		if err != nil {
			return nil, err
		}
		out, err := run(ctx, w, in)
		if err != nil {
			err = ownFile{err}
		}
		return out, err
	})
}

// shaped is Typed for types that are known only at run time. run gets a pointer
// to an in.
func shaped(t Tool, in, out reflect.Type, run func(context.Context, *Call, any) (any, error)) Tool {
	t.Idempotent = t.Idempotent || t.ReadOnly
	t.In, t.Out = inputSchema(in), outputSchema(out)
	resolved, err := t.In.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", t.Name, err)) // our own structs are always valid
	}
	t.run = func(ctx context.Context, c *Call, arguments json.RawMessage) (any, error) {
		into := reflect.New(in).Interface()
		if err := readArguments(arguments, resolved, t.In, into); err != nil {
			return nil, err
		}
		return run(ctx, c, into)
	}
	return t
}
