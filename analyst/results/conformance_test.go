package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/testing/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{Open: func(home string, step func(string)) (storetest.Store, error) {
		s := At(home, time.Now)
		s.files.Step, s.maxResults = step, 20
		return &texts{s, home}, nil
	}})
}

// texts keeps each text as a result, whose statement is the text's name: the
// newest of a name counts.
type texts struct {
	s    *Store
	home string
}

func (x *texts) Put(name, text string) error {
	file := filepath.Join(filepath.Dir(x.home), store.NewID())
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	_, _, err := x.s.Add(file, Meta{SQL: name})
	return err
}

func (x *texts) named(name string) (metas []Meta) {
	for _, m := range x.s.List() {
		if m.SQL == name {
			metas = append(metas, m)
		}
	}
	return metas
}

func (x *texts) Get(name string) (string, error) {
	read, release, err := x.Hold(name)
	if err != nil {
		return "", err
	}
	defer release()
	return read()
}

func (x *texts) Hold(name string) (read func() (string, error), release func(), err error) {
	metas := x.named(name)
	if len(metas) == 0 {
		return nil, nil, fs.ErrNotExist
	}
	dir, err := os.MkdirTemp(filepath.Dir(x.home), "reader")
	if err != nil {
		return nil, nil, err
	}
	path, _, err := x.s.Link(metas[len(metas)-1].Name, dir)
	if api.CodeUnknownSnapshot.Is(err) {
		err = fs.ErrNotExist
	}
	read = func() (string, error) {
		text, err := os.ReadFile(path)
		return string(text), err
	}
	return read, func() { _ = os.RemoveAll(dir) }, err
}

func (x *texts) Drop(name string) error {
	for _, m := range x.named(name) {
		if err := x.s.Drop([]string{m.Name}); err != nil && !errors.Is(err, &api.Error{Code: api.CodeUnknownSnapshot, Kind: "result"}) {
			return err
		}
	}
	return nil
}

// Sweep does what the next result does, if it need not wait.
func (x *texts) Sweep() error {
	lock, err := x.s.files.TryLock()
	if errors.Is(err, store.ErrBusy) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Unlock()
	_, err = x.s.evict(Meta{})
	return err
}
