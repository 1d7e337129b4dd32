package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/draft"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/filehttp"
)

// newFileCalls runs what reads users' files in processes of its own, which do not
// get the server's credentials.
func newFileCalls(a *app.App) (*worker.Calls, error) {
	return worker.NewCalls(a.Args, app.Uncredentialed(), a.IO.Err)
}

// fileCall is a call that reads users' files, on its way to another process:
// that of a tool, or of the page for a table.
type fileCall struct {
	At      agenthttp.FileRoot `json:"at"`
	Request json.RawMessage    `json:"request,omitempty"`
	Table   *tableCall         `json:"table,omitempty"`
}

// tableCall asks for a file as a table.
type tableCall struct {
	filehttp.FileTable
	File string `json:"file"`
}

// tableSaid is its answer: one of the two.
type tableSaid struct {
	Answer any            `json:"answer,omitempty"`
	Error  *api.ErrorBody `json:"error,omitempty"`
}

func callFile(ctx context.Context, calls *worker.Calls, call fileCall, memory int64, say func(string)) (json.RawMessage, error) {
	order, err := json.Marshal(call)
	if err != nil {
		return nil, err
	}
	return calls.Call(ctx, order, memory, say)
}

// serveFileCalls answers a server's calls in another process.
func serveFileCalls(ctx context.Context, a *app.App) error {
	log := slog.New(slog.NewTextHandler(a.IO.Err, nil))
	return worker.ServeCalls(a.IO.In, a.IO.Out, func(order json.RawMessage, say func(string)) json.RawMessage {
		var in fileCall
		_ = json.Unmarshal(order, &in) // from our own process; an empty call is rejected
		if in.Table != nil {
			return answerTable(ctx, in.At, *in.Table, a.Now, log)
		}
		box, err := in.At.Box(tool.Config{Now: a.Now, Log: log})
		if err != nil {
			log.Error("no tools", "cause", err)
			return nil
		}
		defer box.Files.Close()
		return box.Serve(ctx, in.Request, say)
	})
}

// fileTables lets a server's files be read as tables, in another process, from
// copies below scratch. The caller calls end.
func fileTables(a *app.App, files *filehttp.Server, scratch string) (end func(), err error) {
	calls, err := newFileCalls(a)
	if err != nil {
		return nil, err
	}
	files.Scratch = scratch
	files.Tables = func(ctx context.Context, dir, file string, req filehttp.FileTable) (json.RawMessage, error) {
		at := agenthttp.FileRoot{Root: dir, Known: filepath.Join(dir, "known")}
		text, err := callFile(ctx, calls, fileCall{At: at, Table: &tableCall{req, file}}, toolbox.CallMemory, func(string) {})
		if err != nil {
			return nil, err
		}
		var said struct {
			Answer json.RawMessage `json:"answer"`
			Error  *api.ErrorBody  `json:"error"`
		}
		if err := json.Unmarshal(text, &said); err != nil {
			return nil, err
		}
		if said.Error != nil {
			return nil, said.Error.Error()
		}
		return said.Answer, nil
	}
	files.Calls = func(ctx context.Context, data api.Data, view *workspace.Workspace, request json.RawMessage, memory int64,
		say func(string)) (json.RawMessage, error) {
		dir, err := os.MkdirTemp(scratch, "call-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }() // what stays goes with the folder of the process
		at := agenthttp.FileRoot{Root: filepath.Join(dir, "files"), Known: filepath.Join(dir, "known"), MaxFile: view.MaxFile}
		return toolCall{calls, data, view, at}.answer(ctx, request, memory, say)
	}
	return func() {
		calls.Close()
		files.Close()
	}, nil
}

// toolCall is a model's call of a tool that reads files of a view by their paths.
type toolCall struct {
	calls *worker.Calls
	data  api.Data
	view  *workspace.Workspace
	at    agenthttp.FileRoot
}

// answer shows the files to another process, which answers the call, and keeps the file
// that it writes.
func (c toolCall) answer(ctx context.Context, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error) {
	var in toolbox.Request
	if err := json.Unmarshal(request, &in); err != nil {
		return nil, err
	}
	text, err := c.said(ctx, in, request, memory, say)
	about, failed := api.FileSubject{}, err
	var answer tool.Answer
	if err == nil && json.Unmarshal(text, &answer) == nil {
		failed = agent.ErrorOf(string(answer.Text), answer.Failed)
	}
	for _, name := range agent.NamedFiles(in.Arguments) {
		if f, missing := c.view.Info(ctx, name); missing == nil {
			about = f.Subject()
			break
		}
	}
	// The call is recorded even if the client has disconnected meanwhile.
	if noted := c.data.NoteFile(context.WithoutCancel(ctx), in.Tool, about, failed); !answer.Failed && noted != nil {
		return nil, noted // the call's own error, or do not return what cannot be recorded
	}
	return text, nil
}

func (c toolCall) said(ctx context.Context, in toolbox.Request, request json.RawMessage, memory int64, say func(string)) (json.RawMessage,
	error) {
	leave, err := c.view.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	folder := &draft.Folder{Space: func() (*workspace.Workspace, error) { return c.view, nil }, Dir: c.at.Root}
	if err := os.Mkdir(folder.Dir, 0o700); err != nil {
		return nil, err
	}
	for _, name := range agent.NamedFiles(in.Arguments) {
		if err := folder.Show(ctx, name); err != nil {
			return nil, err
		}
	}
	text, err := callFile(ctx, c.calls, fileCall{At: c.at, Request: request}, min(memory, toolbox.CallMemory), say)
	if err != nil {
		return nil, err
	}
	var answer tool.Answer
	if err := json.Unmarshal(text, &answer); err != nil || answer.Failed {
		return text, err
	}
	return text, agent.KeepWritten(ctx, folder, in.Arguments, answer.Text)
}

// answerTable answers a call for a table.
func answerTable(ctx context.Context, at agenthttp.FileRoot, in tableCall, now func() time.Time, log *slog.Logger) json.RawMessage {
	var said tableSaid
	files, err := table.New(table.Config{Dir: at.Known, Root: at.Root, WorkDir: at.Root, Now: now})
	if err == nil {
		defer files.Close()
		said.Answer, err = tableAnswer(ctx, files, in)
	}
	if err != nil {
		var e *api.Error
		if !errors.As(err, &e) {
			log.Error("a table was not read", "cause", err)
			e = &api.Error{Code: api.CodeInternal, Message: "the file could not be read"}
		}
		body := e.Body()
		said = tableSaid{Error: &body}
	}
	text, _ := json.Marshal(said) // cannot fail: of JSON
	return text
}

func tableAnswer(ctx context.Context, files *table.Tables, in tableCall) (any, error) {
	src := table.Source{Path: in.File, Options: intake.Options{
		Delimiter: in.Delimiter, Encoding: in.Encoding, NoHeader: in.NoHeader, HeaderLine: in.HeaderLine,
		DateFormat: in.DateFormat, Types: in.Types, Sheet: in.Sheet, Range: in.Range,
	}}
	rows := min(in.RowCount, api.MaxPageRows)
	switch in.Want {
	case "map":
		return files.Map(ctx, table.MapRequest{Source: src})
	case "rows":
		return files.Rows(ctx, table.RowsRequest{Source: src, RowStart: cmp.Or(in.RowStart, 1), RowCount: rows})
	case "stats":
		return files.Stats(ctx, table.StatsRequest{Source: src})
	case "query":
		return files.Query(ctx, table.QueryRequest{Source: src, Query: in.SQL, WindowRows: &rows})
	}
	return nil, &api.Error{Code: api.CodeValidation, Kind: api.KindWant, Message: "want is map, rows, stats or query"}
}
