package agenthttp

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/draft"
	"github.com/agnes-data/da/agent/hidden"
	"github.com/agnes-data/da/agent/python"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
)

// Files are the files of a server's users, as its model works with them.
type Files struct {
	// Use returns an owner's workspace and a function that ends its use.
	Use func(ctx context.Context, owner string) (*workspace.Workspace, func(), error)
	// Isolate lets another process answer a call of a tool that reads files by
	// their paths, as tool.Config says.
	Isolate func(ctx context.Context, at FileRoot, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error)
	// Pattern is a glob of files whose changes are applied without a person.
	Pattern string
}

// FileRoot says where the files of a conversation are stored that tools read by
// path.
type FileRoot struct {
	Root  string `json:"root"`  // no path leaves it
	Known string `json:"known"` // what was learnt about them
	// MaxFile is the most that a file of the workspace may have, in bytes.
	MaxFile int64 `json:"max_file"`
}

// Box returns the tools that a process of Files.Isolate answers with, for one
// call. The caller closes its Files.
func (p FileRoot) Box(cfg tool.Config) (*toolbox.Box, error) {
	files, err := table.New(table.Config{Dir: p.Known, Root: p.Root, WorkDir: p.Root, Now: cfg.Now})
	if err != nil {
		return nil, err
	}
	cfg.Files, cfg.Dir, cfg.Tools, cfg.Explain, cfg.ExportMaxBytes = files, p.Root, agent.ToolSets, inside, p.MaxFile
	box, err := toolbox.New(cfg)
	if err != nil {
		files.Close()
	}
	return box, err
}

// inside removes from a sandbox error what a user of the server must not see.
func inside(e *api.Error) *api.Error {
	if e.Code != api.CodeSandbox {
		return e
	}
	return &api.Error{Code: e.Code, Message: "the path leads out of the workspace", Hint: "Name a file of the workspace.", Err: e}
}

// isolate lets another process answer the calls of a conversation. A call takes no
// more memory for asking for it: that is the server's.
func (f Files) isolate(at FileRoot) func(context.Context, json.RawMessage, int64, func(string)) (json.RawMessage, error) {
	return func(ctx context.Context, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error) {
		return f.Isolate(ctx, at, request, min(memory, toolbox.CallMemory), say)
	}
}

// turnTools holds what the model works with in one turn.
type turnTools struct {
	caller  api.Data
	service *agent.Boxed
	lessons []string
	// tools are all of the tools; frames returns the rows that they show.
	tools  agent.Tools
	frames func(context.Context, agent.FrameRequest) (*agent.DataFrame, error)

	// Set for users whose files are stored.
	view  *workspace.Workspace
	files *agent.Boxed
	looks chan struct{}
	ends  []func()
}

// openLog opens the conversation of a request, or creates one.
func (s *Server) openLog(v visit, in ChatRequest) (*conversation.Log, error) {
	if in.Conversation != "" && in.After == nil {
		return v.store.Continue(in.Conversation, s.Hide)
	}
	if strings.TrimSpace(in.Message) == "" {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindNoMessage, Message: "there is no message"}
	}
	if in.After != nil {
		return v.store.Branch(in.Conversation, *in.After, s.Hide)
	}
	return v.store.Create(conversation.Record{Provider: s.Kind, Model: s.Model, Hidden: s.Hide})
}

// attached are the files of a caller's message.
func (s *Server) attached(ctx context.Context, v visit, in ChatRequest) ([]conversation.File, error) {
	switch {
	case len(in.Files) == 0:
		return nil, nil
	case in.Message == "":
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindNoMessage, Message: "files can only be sent with a message"}
	case s.Files.Use == nil || v.data.FileOwner == nil:
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: api.KindFilesOff, Message: "this server keeps no files"}
	}
	space, leave, err := s.Files.Use(ctx, v.data.Owner())
	if err != nil {
		return nil, err
	}
	defer leave()
	files, err := attach(ctx, space, in.Files)
	for _, f := range files {
		if err := v.data.NoteFile(context.WithoutCancel(ctx), "attach", api.FileSubject{ID: f.ID, Name: f.Name}, nil); err != nil {
			return nil, err
		}
	}
	return files, err
}

// openDesk collects the tools of a turn, which ctx ends. The caller closes it.
func (s *Server) openDesk(ctx context.Context, v visit, log *conversation.Log) (*turnTools, error) {
	box, err := toolbox.New(tool.Config{Data: func() (api.Data, error) { return v.data, nil }, Log: s.Log, Now: s.Now, Request: ctx,
		RequestID: v.requestID})
	if err != nil {
		return nil, err
	}
	service := within(log, agent.FromBox(box))
	d := &turnTools{caller: v.data, service: service, lessons: service.Lessons(), looks: s.looks}
	d.tools, d.frames = d, d.rows
	if s.Files.Use != nil && v.data.FileOwner != nil {
		err = d.openFiles(ctx, s.Files, tool.Config{Log: s.Log, Now: s.Now}, log)
	}
	if err == nil && s.Python != nil && !log.Hidden() {
		err = d.openPython(s.Python, v.key(log.ID), log)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// openPython adds the Python of a conversation, whose data sets are files of the
// caller.
func (d *turnTools) openPython(with *python.Pool, conversation string, log *conversation.Log) error {
	session, give, err := with.Take(conversation, python.Ran(log.Records))
	if err != nil {
		return err
	}
	d.ends = append(d.ends, give)
	var put python.Put
	var steps []agent.Tool
	if d.files != nil {
		steps = d.files.FileTools()
		place := python.FromFiles(d.files, log.Files)
		put = func(ctx context.Context, set python.Dataset, dir string) (python.Placed, error) {
			placed, err := place(ctx, set, dir)
			return placed, d.noteFile(ctx, "load_dataset", set.Name, err)
		}
	}
	more := session.With(d, put, steps)
	d.tools, d.frames = more, more.Frames(d.rows)
	return nil
}

// openFiles adds the tools for the caller's workspace.
func (d *turnTools) openFiles(ctx context.Context, f Files, cfg tool.Config, log *conversation.Log) error {
	space, leave, err := f.Use(ctx, d.caller.Owner())
	if err != nil {
		return err
	}
	d.ends = append(d.ends, leave)
	if d.view, err = draft.View(space, log.ID); err != nil {
		return err
	}
	at := FileRoot{Root: log.Files, Known: filepath.Join(filepath.Dir(log.Files), "known"), MaxFile: space.MaxFile}
	cfg.Space = func() (*workspace.Workspace, error) { return d.view, nil }
	cfg.Isolate = f.isolate(at)
	box, err := at.Box(cfg)
	if err != nil {
		return err
	}
	d.ends = append(d.ends, box.Files.Close)
	d.files = within(log, agent.FromBox(box)).In(&draft.Folder{Space: cfg.Space, Dir: at.Root, Passing: true})
	d.lessons = agent.JoinLessons(d.lessons, append(d.files.Lessons(), agent.DraftLesson))
	return nil
}

// within leaves the tools whose values can be kept from the model, if they are to be.
func within(log *conversation.Log, tools *agent.Boxed) *agent.Boxed {
	if log.Hidden() {
		return tools.Only(hidden.Knows)
	}
	return tools
}

func (d *turnTools) close() {
	for _, end := range slices.Backward(d.ends) {
		end()
	}
}

// List implements agent.Tools.
func (d *turnTools) List() []agent.Tool {
	list := d.service.List()
	if d.files != nil {
		list = slices.Concat(list, d.files.List())
	}
	return list
}

// Call implements agent.Tools. What is done with files goes into the record.
func (d *turnTools) Call(ctx context.Context, name string, arguments json.RawMessage) (string, bool) {
	if d.files == nil || !d.files.Has(name) {
		return d.service.Call(ctx, name, arguments)
	}
	select {
	case d.looks <- struct{}{}:
		defer func() { <-d.looks }()
	case <-ctx.Done():
		return agent.Failed(ctx.Err())
	}
	text, failed := d.files.Call(ctx, name, arguments)
	if err := d.note(ctx, name, arguments, agent.ErrorOf(text, failed)); err != nil && !failed {
		return agent.Failed(err) // do not return what cannot be recorded
	}
	return text, failed
}

// note writes to the server's audit record what the model did with which file.
func (d *turnTools) note(ctx context.Context, action string, arguments json.RawMessage, err error) error {
	var in struct {
		Path string `json:"path"`
		Name string `json:"name"` // of a data set
	}
	_ = json.Unmarshal(arguments, &in) // the tool has said what is wrong with it
	return d.noteFile(ctx, action, cmp.Or(in.Path, in.Name), err)
}

// noteFile is like note, for a file given by its name, which can be empty.
func (d *turnTools) noteFile(ctx context.Context, action, name string, err error) error {
	var about api.FileSubject
	if f, known := d.view.Info(ctx, name); name != "" && known == nil {
		about = f.Subject()
	}
	return d.caller.NoteFile(context.WithoutCancel(ctx), action, about, err)
}

// rows returns the rows of tables and charts: from a file if a path is given,
// otherwise from the source.
func (d *turnTools) rows(ctx context.Context, in agent.FrameRequest) (*agent.DataFrame, error) {
	if d.files != nil && in.Path != "" {
		return d.files.Frames(ctx, in)
	}
	return d.service.Frames(ctx, in)
}

// manifest lists the available data for the model.
func (d *turnTools) manifest(ctx context.Context) (m agent.Manifest, err error) {
	if d.view == nil {
		return m, nil
	}
	files, err := d.view.List(ctx, "")
	for _, f := range files {
		m.Files = append(m.Files, agent.ManifestFile{Path: f.Name, Bytes: f.Size})
	}
	return m, err
}

// inputs says which files a call has read.
func (d *turnTools) inputs(ctx context.Context) func(tool, arguments string) []conversation.Input {
	if d.view == nil {
		return nil
	}
	return func(_, arguments string) []conversation.Input { return FileInputs(ctx, d.view, arguments) }
}

// settle completes an answer with the changes of the conversation, and applies
// them if the caller or a policy says so.
func (d *turnTools) settle(conversation string, p draft.Policy) func(context.Context, *agent.Answer) error {
	if d.view == nil {
		return nil
	}
	return func(ctx context.Context, answer *agent.Answer) (err error) {
		answer.Draft, err = draft.Settle(ctx, d.view, conversation, p, answer.Whole())
		if err == nil && answer.Draft != nil && answer.Draft.Applied {
			err = d.caller.NoteFile(ctx, "apply", api.FileSubject{ID: answer.Draft.Name}, nil)
		}
		return err
	}
}

// gist is the caller's agent.Config.Gist; nil if the server has none.
func (s *Server) gist(data api.Data) func(ctx context.Context, question string) string {
	if s.Gist == nil {
		return nil
	}
	return s.Gist(data)
}

// dropDraft discards the changes of a conversation that nobody has applied.
func (s *Server) dropDraft(v visit, conversation string) error {
	if s.Files.Use == nil || v.data.FileOwner == nil {
		return nil
	}
	space, leave, err := s.Files.Use(v.r.Context(), v.data.Owner())
	if err != nil {
		return err
	}
	defer leave()
	view, err := draft.View(space, conversation)
	if err != nil {
		return err
	}
	dropped, err := draft.Discard(v.r.Context(), view)
	if len(dropped) > 0 {
		err = v.data.NoteFile(v.r.Context(), "discard", api.FileSubject{ID: draft.Name(conversation)}, err)
	}
	return err
}
