package synced

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{
		Open: func(home string, step func(string)) (storetest.Store, error) {
			s := At(home)
			s.files.Step = step
			return &texts{s, home}, nil
		},
		Busy: func(err error) bool { return errors.Is(err, &api.Error{Code: api.CodeSnapshotBusy, Kind: "sync_busy"}) },
	})
}

// texts pulls each text as a table.
type texts struct {
	s    *Store
	home string
}

func textTable(name, text string) api.SyncTable {
	sum := xxh3.Hash128([]byte(text)).Bytes()
	return api.SyncTable{TableID: name, Bytes: int64(len(text)), XXH3: hex.EncodeToString(sum[:])}
}

// Put does what a sync does that pulls one table.
func (x *texts) Put(name, text string) error {
	unlock, err := x.s.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if have, ok := x.s.Get(name); ok && have.XXH3 == textTable(name, text).XXH3 {
		return x.s.Point(have)
	}
	return pullText(x.s, name, text)
}

func pullText(s *Store, name, text string) error {
	p, err := s.Begin(textTable(name, text))
	if err != nil {
		return err
	}
	defer p.Close()
	chunks, _ := p.Missing()
	for _, c := range chunks {
		if err := p.Write(c, bytes.NewReader([]byte(text)[c.From:c.From+c.Size]), func(int64) {}); err != nil {
			return err
		}
	}
	_, err = p.Install("https://a", time.Now(), func(string) error { return nil })
	return err
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
	dir, err := os.MkdirTemp(filepath.Dir(x.home), "reader")
	if err != nil {
		return nil, nil, err
	}
	path, _, ok, err := x.s.Link(name, dir)
	if !ok && err == nil {
		err = fs.ErrNotExist
	}
	read = func() (string, error) {
		text, err := os.ReadFile(path)
		return string(text), err
	}
	return read, func() { _ = os.RemoveAll(dir) }, err
}

// Drop does what a sync does to a table that is not for its user any more.
func (x *texts) Drop(name string) error {
	unlock, err := x.s.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if m, ok := x.s.Get(name); ok {
		return x.s.Remove(m)
	}
	return nil
}

// Sweep does what a sync does that wants what is there.
func (x *texts) Sweep() error {
	unlock, err := x.s.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	x.s.Sweep(nil)
	return nil
}

// TestWhatEarlierReleasesWrote reads a folder as an earlier release left it.
func TestWhatEarlierReleasesWrote(t *testing.T) {
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS("testdata/v1")); err != nil {
		t.Fatal(err)
	}
	s := At(home)
	m, ok := s.Get("cities")
	if !ok || m.Rows != 2 || len(s.List()) != 1 {
		t.Errorf("%+v, %t", m, ok)
	}
	if path, _, ok, err := s.Link("cities", t.TempDir()); !ok || err != nil {
		t.Errorf("%s, %t, %v", path, ok, err)
	}
	s.Sweep(nil)
	if err := s.Point(m); err != nil {
		t.Error(err)
	}
	if _, ok := s.Get("cities"); !ok {
		t.Error("a sweep took it")
	}
}
