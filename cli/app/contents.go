package app

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
	"github.com/agnes-data/da/workspace/steps"
)

// contentsArg is the argument of a process that works on contents of files.
const contentsArg = "__contents"

// contents are the processes that work on contents of files, started when they are
// needed.
type contents struct {
	sync.Mutex
	calls *worker.Calls
}

// Apart lets other processes work on the contents of files, each job for at most so
// long. What they log goes to log.
func (a *App) Apart(most time.Duration, log io.Writer) *workspace.Apart {
	return &workspace.Apart{Time: most, Run: func(ctx context.Context, at workspace.At, request json.RawMessage) (json.RawMessage, error) {
		calls, err := a.contentCalls(log)
		if err != nil {
			return nil, err
		}
		order, err := json.Marshal(contentOrder{at, request})
		if err != nil {
			return nil, err
		}
		return calls.Call(ctx, order, content.Memory, func(string) {})
	}}
}

func (a *App) contentCalls(log io.Writer) (calls *worker.Calls, err error) {
	a.contents.Lock()
	defer a.contents.Unlock()
	if a.contents.calls == nil {
		a.contents.calls, err = worker.NewCalls([]string{contentsArg}, Uncredentialed(), log)
	}
	return a.contents.calls, err
}

// Close ends the processes.
func (c *contents) Close() {
	c.Lock()
	defer c.Unlock()
	if c.calls != nil {
		c.calls.Close()
	}
}

// Uncredentialed is the environment of a process that reads files of others: it
// gets no credentials.
func Uncredentialed() (env []string) {
	for _, name := range []string{"PATH", "TMPDIR", "TZ", "LANG", "HOME", "XDG_CACHE_HOME"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// contentOrder is a job on its way to another process.
type contentOrder struct {
	At  workspace.At    `json:"at"`
	Job json.RawMessage `json:"job"`
}

// ServesContents reports whether the program was started to work on contents.
func ServesContents(args []string) bool { return len(args) == 1 && args[0] == contentsArg }

// ServeContents works on contents for another process. It returns the exit code.
func ServeContents(ctx context.Context, env Env) int {
	debug.SetMemoryLimit(content.Memory / 4 * 3) // collect garbage rather than end at the limit
	err := worker.ServeCalls(env.IO.In, env.IO.Out, func(order json.RawMessage, _ func(string)) json.RawMessage {
		out, offline, err := doContents(ctx, env, order)
		done := content.DoneOf(out, err)
		done.Offline = offline
		said, _ := json.Marshal(done) // JSON, and texts
		return said
	})
	if err != nil {
		return 1
	}
	return 0
}

func doContents(ctx context.Context, env Env, order json.RawMessage) (any, *workspace.Offline, error) {
	var in contentOrder
	var job content.Job
	if err := json.Unmarshal(order, &in); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(in.Job, &job); err != nil {
		return nil, nil, err
	}
	w, err := in.At.Open(env.Now)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	out, err := steps.Do(ctx, w, job)
	return out, w.Offline(), err
}

// Print writes a document of Word's as PDF.
func (a *App) Print(ctx context.Context, document io.Reader, w io.Writer) error {
	const name = "report.docx"
	scratch, remove, err := a.ScratchWorkspace()
	if err != nil {
		return err
	}
	defer remove()
	if _, err := scratch.Put(ctx, workspace.PutRequest{Name: name}, document); err != nil {
		return err
	}
	return PrintTo(ctx, scratch, name, w)
}

// PrintTo writes a file of a workspace as PDF.
func PrintTo(ctx context.Context, scratch *workspace.Workspace, name string, w io.Writer) error {
	dir, err := os.MkdirTemp("", "da-print")
	if err != nil {
		return atomicfile.Explain("make a folder to print in", err)
	}
	defer os.RemoveAll(dir)
	drawn, err := content.Render(ctx, scratch, name, content.RenderRequest{PDF: true}, dir)
	if err != nil {
		return err
	}
	file, err := os.Open(drawn.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(w, file)
	return err
}
