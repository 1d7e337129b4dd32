package workspace

import (
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{
		Open: func(home string, step func(string)) (storetest.Store, error) {
			// Each use opens the workspace anew, as commands do.
			return texts{filepath.Join(home, "files"), step}, nil
		},
		ReadsLocked: true,
	})
}

// texts keeps each text as a file.
type texts struct {
	dir  string
	step func(string)
}

func (x texts) with(do func(context.Context, *Workspace) error) error {
	w, err := Open(x.dir, Options{Step: x.step})
	if err != nil {
		return err
	}
	defer w.Close()
	return do(context.Background(), w)
}

func (x texts) Put(name, text string) error {
	return x.with(func(ctx context.Context, w *Workspace) error {
		_, err := w.Put(ctx, PutRequest{Name: name}, strings.NewReader(text))
		return err
	})
}

func (x texts) Get(name string) (text string, err error) {
	read, release, err := x.Hold(name)
	if err != nil {
		return "", err
	}
	defer release()
	return read()
}

func (x texts) Hold(name string) (read func() (string, error), release func(), err error) {
	err = x.with(func(ctx context.Context, w *Workspace) error {
		c, err := w.Open(ctx, name)
		if err != nil {
			return ifUnknown(err, fs.ErrNotExist)
		}
		read = func() (string, error) {
			text, err := io.ReadAll(io.NewSectionReader(c, 0, c.Of.Size))
			return string(text), err
		}
		release = func() { _ = c.Close() }
		return nil
	})
	return read, release, err
}

// ifUnknown returns other in place of the error for a name without a file.
func ifUnknown(err, other error) error {
	if api.CodeUnknownFile.Is(err) {
		return other
	}
	return err
}

func (x texts) Drop(name string) error {
	return x.with(func(ctx context.Context, w *Workspace) error {
		_, err := w.Purge(ctx, name, 0)
		return ifUnknown(err, nil)
	})
}

func (x texts) Sweep() error { return x.with(func(context.Context, *Workspace) error { return nil }) }
