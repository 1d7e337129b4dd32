package toolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/untrusted"
)

// need is what a tool requires.
type need byte

const (
	needsService need = 0
	needsStore   need = 1
	needsFiles   need = 2
	needsSpace   need = 4
	needsWeb     need = 8
)

// tool is one row of the list in tools.go.
type tool struct {
	name  string
	title string
	about string // for the model: what it does, and when to use it
	set   string // empty means setData
	needs need   // what it needs besides the service
	// The effects of a call. A tool that only reads is idempotent and not
	// destructive.
	readOnly    bool
	destructive bool
	idempotent  bool
	// open means that the tool contacts a source beyond this machine.
	open bool
	long bool // calls may take long: report progress
	// engine means that the call could crash the process: the engine reads files
	// or statements from others, or a source that may be in this process.
	engine bool

	in, out *jsonschema.Schema
	run     func(context.Context, *call, json.RawMessage) (any, error)
}

// call is one running call of a tool.
type call struct {
	*Box
	fence    untrusted.Fence
	progress *progress
	// told says that the caller already knows what the marks mean.
	told bool
	// next is the suggested next call; may be nil.
	next *step
}

// step is a call that a model may want to make next.
type step struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Why       string         `json:"why,omitempty"`
}

// suggest sets the suggested next call, if the box has its tool.
func (c *call) suggest(why, tool string, arguments map[string]any) {
	if c.names[tool] {
		c.next = &step{Tool: tool, Arguments: arguments, Why: why}
	}
}

// typed completes a tool. Its schemas are made from the structs In and Out.
func typed[In, Out any](t tool, run func(context.Context, *call, In) (Out, error)) tool {
	return shaped(t, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, c *call, in any) (any, error) { return run(ctx, c, *in.(*In)) })
}

// shaped is typed for types that are known only at run time. run gets a pointer
// to an in.
func shaped(t tool, in, out reflect.Type, run func(context.Context, *call, any) (any, error)) tool {
	t.in, t.out = inputSchema(in), outputSchema(out)
	resolved, err := t.in.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", t.name, err)) // our own structs are always valid
	}
	t.run = func(ctx context.Context, c *call, arguments json.RawMessage) (any, error) {
		into := reflect.New(in).Interface()
		if err := readArguments(arguments, resolved, t.in, into); err != nil {
			return nil, err
		}
		return run(ctx, c, into)
	}
	return t
}

// Answer is what a tool returns: a JSON object with marks around its data.
type Answer struct {
	Text []byte
	// Failed says that the call failed; the text says why, and what to change.
	Failed bool
}

// Call runs a tool by name. arguments is a JSON object. say, if not nil, gets
// progress messages of a long call, but none after Call has returned. Every error
// becomes an answer that the model can act on.
func (b *Box) Call(ctx context.Context, name string, arguments json.RawMessage, say func(message string)) Answer {
	i := slices.IndexFunc(b.tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		c := &call{Box: b, fence: untrusted.NewFence()}
		return c.failed(ctx, name, &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there is no tool '%s'", api.Clip(name, 60))})
	}
	told := b.Request == nil && b.told.Load()
	answer := b.run(ctx, b.tools[i], arguments, told, say)
	if untrusted.Explained(answer.Text) {
		b.told.Store(true)
	}
	return answer
}

// run is Call for an existing tool. told says that the caller already knows what
// the marks mean.
func (b *Box) run(ctx context.Context, t tool, arguments json.RawMessage, told bool, say func(message string)) Answer {
	c, name := &call{Box: b, fence: untrusted.NewFence(), told: told}, t.name
	arguments = respelled(arguments, t.in)
	if b.Request != nil { // stop when the HTTP client has gone away
		var end context.CancelFunc
		ctx, end = context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(b.Request, end)()
	}
	if t.engine && b.Isolate != nil {
		memory := memoryOf(arguments)
		if t.open { // the source has its own limits
			memory = 0
		}
		answer, err := b.isolated(ctx, Request{Tool: name, Arguments: arguments, Progress: say != nil, Told: told}, memory, say)
		if err != nil {
			return c.failed(ctx, name, err)
		}
		return answer
	}
	if t.long && say != nil {
		c.progress = startProgress(ctx, say, b.Now)
		defer c.progress.end()
	}
	out, err := catch(func() (any, error) { return t.run(ctx, c, arguments) })
	if b.NoteFile != nil && t.needs&needsSpace != 0 {
		err = b.note(ctx, name, arguments, err)
	}
	if err != nil {
		return c.failed(ctx, name, err)
	}
	doc, err := c.encode(out)
	if err != nil {
		return c.failed(ctx, name, err)
	}
	failing, ok := out.(interface{ failed() bool })
	return Answer{Text: doc, Failed: ok && failing.failed()}
}

// encode writes an answer with marks around it.
func (c *call) encode(out any) ([]byte, error) {
	doc, err := marshal(out)
	if err != nil {
		return nil, err
	}
	var front []byte
	if c.next != nil {
		if front, err = marshal(map[string]any{"next": c.next}); err != nil {
			return nil, err
		}
	}
	object := c.fence.Object
	if c.told {
		object = c.fence.Marked
	}
	return object(untrusted.JSON(front), untrusted.JSON(doc)), nil
}

// marshal writes JSON without HTML escapes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// schemas lists the schemas of types with their own JSON encoding.
var schemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage](): {}, // a value of any type
}
