package workspace

import (
	"context"
	"errors"
	"io"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// PutRequest says under which name, and how, a content is stored.
type PutRequest struct {
	Name   string
	Source Source // empty: Upload
	// IfVersion is the version that the content must replace; 0 replaces any
	// version.
	IfVersion int64
	// New refuses a name that is taken, with CodeTargetExists.
	New bool
}

// Put stores the content of r under a name: as a new file, or as the next version
// of the file with that name.
func (w *Workspace) Put(ctx context.Context, req PutRequest, r io.Reader) (File, error) {
	return w.PutBy(ctx, req, func(out io.Writer) error {
		_, err := io.Copy(out, r)
		return err
	})
}

// PutBy is Put for a content that write produces. An error of write is returned
// as it is, and nothing is stored.
func (w *Workspace) PutBy(ctx context.Context, req PutRequest, write func(io.Writer) error) (File, error) {
	name, err := CleanName(req.Name)
	if err != nil {
		return File{}, err
	}
	if req.Source == "" {
		req.Source = Upload
	}
	if req.New { // before all is written
		if _, err := w.Info(ctx, name); err == nil {
			err = w.change(ctx, "store a file", func(c *change) error { return c.vacant(name, "") })
			if err != nil {
				return File{}, err
			}
		}
	}
	s, err := w.stage(ctx, write)
	if err != nil {
		return File{}, w.failed("store '"+name+"'", err)
	}
	defer s.release(ctx, w)
	var f File
	err = w.change(ctx, "store '"+name+"'", func(c *change) error {
		action := ActionModified
		f, err = c.find(name, req.IfVersion)
		f.told = nil // it was of the content that is replaced
		isID := err == nil && key(f.Name) != key(name)
		if api.CodeUnknownFile.Is(err) && req.IfVersion == 0 || isID || err == nil && req.New {
			f, action = c.fresh(name, req.Source), ActionCreated
			err = c.vacant(name, "")
		}
		if err != nil {
			return err
		}
		return c.fill(&f, s, action)
	})
	return f, err
}

// fill sets the content of a file.
func (c *change) fill(f *File, s *staged, action Action) error {
	path, mime, err := c.commit(s, f.Name)
	if err != nil {
		return err
	}
	if f.path != "" {
		c.loose = append(c.loose, f.path)
	}
	f.path, f.MIMEType, f.Size, f.SHA256 = path, mime, s.size, s.sum
	return c.record(f, action)
}

// editTries is how often Edit starts over when others change the file by means
// other than Edit.
const editTries = 20

// Edit writes the next version of a file based on the current one: edit reads the
// old content and writes the new one. Edits of one file run one after the other,
// including those of other processes, so each builds on the result of the
// previous one; edit is called again if the file has been changed by other means
// in the meantime. If ifVersion is not 0, only that version is edited; any other
// version is a CodeConflict. An error of edit is returned unchanged, and nothing
// is changed.
func (w *Workspace) Edit(ctx context.Context, ref string, ifVersion int64, edit func(old *Content, out io.Writer) error) (File, error) {
	f, err := w.Info(ctx, ref)
	if err != nil {
		return File{}, err
	}
	lock, err := store.WaitLock(ctx, w.data.Path(editPrefix+f.ID+lockExt), store.Alone)
	if err != nil {
		return File{}, w.failed("edit '"+f.Name+"'", err)
	}
	defer lock.Remove()
	for try := 1; ; try++ {
		edited, err := w.edit(ctx, f.ID, ifVersion, edit)
		var e *api.Error
		if ifVersion == 0 && try < editTries && errors.As(err, &e) && e.Code == api.CodeConflict && e.Details["if_version"] != nil {
			continue
		}
		return edited, err
	}
}

func (w *Workspace) edit(ctx context.Context, id string, ifVersion int64, edit func(*Content, io.Writer) error) (File, error) {
	old, err := w.Open(ctx, id)
	if err != nil {
		return File{}, err
	}
	defer old.Close()
	if ifVersion != 0 && ifVersion != old.Of.Version {
		return File{}, Conflict(old.Of, ifVersion)
	}
	s, err := w.stage(ctx, func(out io.Writer) error { return edit(old, out) })
	if err != nil {
		return File{}, w.failed("edit '"+old.Of.Name+"'", err)
	}
	defer s.release(ctx, w)
	var f File
	err = w.change(ctx, "edit '"+old.Of.Name+"'", func(c *change) (err error) {
		if f, err = c.find(id, old.Of.Version); err != nil {
			return err
		}
		return c.fill(&f, s, ActionModified)
	})
	return f, err
}
