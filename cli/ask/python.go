package ask

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/python"
	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// frames returns the rows for tables and charts.
type frames = func(context.Context, agent.FrameRequest) (*agent.DataFrame, error)

// withPython adds Python to the tools of a conversation if this machine has it
// and can isolate it; otherwise only SQL is available.
func (t *talk) withPython(ctx context.Context, tools *agent.Boxed, work *analyst.Analyst, m config.Model) (agent.Tools, frames, error) {
	if m.Python == "off" {
		return tools, tools.Frames, nil
	}
	interpreter, err := python.Find(ctx, m.PythonPath)
	var e *api.Error
	if errors.As(err, &e) {
		t.app.Detail(e.Message)
		return tools, tools.Frames, nil
	}
	if err != nil {
		return nil, nil, err
	}
	interpreter.Disk = PythonDisk(m)
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
	if python.Ran(t.log.Records) {
		session.Resumed()
	}
	with := session.With(tools, datasets(work, tools, t.log.Files), tools.FileTools())
	return with, with.Frames(tools.Frames), nil
}

// PythonDisk is the most that a conversation's Python may have on disk, in bytes.
func PythonDisk(m config.Model) int64 { return m.PythonDiskMB * 1e6 }

// datasets provides current snapshots, and files of the workspace.
func datasets(work *analyst.Analyst, tools *agent.Boxed, root string) python.Put {
	files := python.FromFiles(tools, root)
	return func(ctx context.Context, d python.Dataset, dir string) (python.Placed, error) {
		links, err := work.Store.Link([]string{d.Name})
		switch {
		case api.CodeUnknownSnapshot.Is(err) || api.CodeInvalidName.Is(err): // file names can differ from snapshot names
			placed, err := files(ctx, d, dir)
			return placed, notFetched(ctx, work, d.Name, err)
		case d.Sheet != "" && err == nil:
			links.Close()
			return python.Placed{}, &api.Error{Code: api.CodeValidation, Message: "'" + d.Name + "' is a snapshot, which has no sheets",
				Hint: "Leave sheet out."}
		case err != nil:
			return python.Placed{}, err
		}
		defer links.Close()
		base, caveats := store.NewID()+".parquet", keep.Caveats(work, links.Metas[0])
		if d.Parquet {
			return python.Placed{Base: base, Caveats: caveats}, atomicfile.Duplicate(ctx, links.Path(d.Name), filepath.Join(dir, base))
		}
		to := filepath.Join(root, base)
		defer func() { _ = os.Remove(to) }() // it may not exist
		if err := atomicfile.Duplicate(ctx, links.Path(d.Name), to); err != nil {
			return python.Placed{}, err
		}
		d.Name = base
		placed, err := files(ctx, d, dir)
		placed.Caveats = append(placed.Caveats, caveats...)
		return placed, err
	}
}

// notFetched explains that a data set is a table of the catalog.
func notFetched(ctx context.Context, work *analyst.Analyst, name string, err error) error {
	if err == nil || api.CheckName("table id", name) != nil {
		return err
	}
	remote, connected := work.Connect()
	if connected != nil {
		return err
	}
	if _, unknown := remote.Schema(ctx, name); unknown != nil {
		return err
	}
	return &api.Error{Code: api.CodeNotLocal, Message: "'" + name + "' is a table of the catalog, not a snapshot or a file", Err: err,
		Hint: "Fetch the columns and rows that you need of it first (fetch), then load the snapshot."}
}
