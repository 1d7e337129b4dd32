package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/python"
	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/store"
)

// frames gives the rows of tables and charts.
type frames = func(context.Context, agent.FrameRequest) (*agent.DataFrame, error)

// withPython adds Python to the tools of a conversation, where this machine has
// it and can isolate it. SQL remains where it cannot.
func (t *talk) withPython(ctx context.Context, tools *agent.Boxed, work *analyst.Analyst) (agent.Tools, frames, error) {
	interpreter, err := python.Find(ctx)
	var e *api.Error
	if errors.As(err, &e) {
		t.app.Detail(e.Message)
		return tools, tools.Frames, nil
	}
	if err != nil {
		return nil, nil, err
	}
	home, err := t.app.Places().Data()
	if err != nil {
		return nil, nil, err
	}
	folder, err := store.OpenFolder(filepath.Join(home, "python"))
	if err != nil {
		return nil, nil, err
	}
	session, err := interpreter.Open(folder.Path)
	if err != nil {
		folder.Close()
		return nil, nil, err
	}
	closeBox := t.closeBox
	t.closeBox = func() { session.Close(); folder.Close(); closeBox() }
	with := session.With(tools, func(name, dir string) (string, error) { return putSnapshot(ctx, work, name, dir) })
	return with, with.Frames(tools.Frames), nil
}

// putSnapshot gives Python the data of a snapshot as it is now: by another name
// of the same file where that works, else as a copy.
func putSnapshot(ctx context.Context, work *analyst.Analyst, name, dir string) (base string, err error) {
	links, err := work.Store.Link([]string{name})
	if err != nil {
		return "", err
	}
	defer links.Close()
	base = name + ".parquet"
	to := filepath.Join(dir, base)
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return base, atomicfile.Duplicate(ctx, links.Path(name), to)
}
