package core

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/blob"
	"github.com/agnes-data/da/server/state"
)

// TestAResultIsWaitedFor asks for the rest of a result that another server is still
// writing, and of others than it should.
func TestAResultIsWaitedFor(t *testing.T) {
	blobs := blob.InFolder(t.TempDir())
	s := &shared{core: &Core{log: slog.New(slog.DiscardHandler), now: time.Now}, blobs: blobs, leaving: make(chan struct{})}
	tag := strings.Repeat("ab", 16)
	var schema bytes.Buffer
	if err := ipc.NewWriter(&schema, ipc.WithSchema(arrow.NewSchema(nil, nil))).Close(); err != nil {
		t.Fatal(err)
	}
	r := &sharedResult{Key: boundTo(tag, "key"), Owner: boundTo(tag, "ann"), Schema: schema.Bytes()}
	put := func() {
		t.Helper()
		if err := s.put(t.Context(), tag, r); err != nil {
			t.Fatal(err)
		}
	}
	put()
	if f, err := s.find(t.Context(), api.FileRequest{Tag: tag}, "another key"); f != nil || err != nil {
		t.Errorf("with another key: %v, %v", f, err)
	}
	for _, tag := range []string{"../" + tag, strings.Repeat("cd", 16), ""} {
		if _, err := s.read(t.Context(), tag); err == nil {
			t.Errorf("tag %q is read", tag)
		}
	}
	s.forget(t.Context(), tag, "ben")
	if _, err := s.read(t.Context(), tag); err != nil {
		t.Errorf("another user has removed it: %v", err)
	}

	found := make(chan *api.File)
	go func() {
		f, err := s.find(t.Context(), api.FileRequest{Tag: tag, From: 3}, "key")
		if err != nil {
			t.Error(err)
		}
		found <- f
	}()
	r.Signs++
	put()
	if err := blobs.Put(t.Context(), tag+".parquet", strings.NewReader("a file"), 6); err != nil {
		t.Fatal(err)
	}
	r.End = &api.End{FileBytes: 6}
	put()
	f := <-found
	if f == nil {
		t.Fatal("it is not found")
	}
	var rest bytes.Buffer
	if _, err := rest.ReadFrom(f.Data); err != nil || rest.String() != "ile" || f.From != 3 {
		t.Errorf("the rest is %q from %d, %v", rest.String(), f.From, err)
	}
	f.Close()
	for _, text := range []string{"{", `{"end":{"file_bytes":-1}}`} {
		odd := strings.Repeat("ef", 16)
		if err := blobs.Put(t.Context(), odd+".json", strings.NewReader(text), int64(len(text))); err != nil {
			t.Fatal(err)
		}
		if _, err := s.read(t.Context(), odd); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the record %s: %v", text, err)
		}
	}
	s.forget(t.Context(), tag, "ann")
	if _, err := s.read(t.Context(), tag); err == nil {
		t.Error("its user cannot remove it")
	}
}

// TestAWrongClockOfAServer: one whose clock is an hour fast neither removes what others are
// sending, nor takes a run for due.
func TestAWrongClockOfAServer(t *testing.T) {
	t.Parallel()
	right := func() time.Time { return time.Now().Add(-time.Hour) } // this machine is the one that is wrong
	dir, users := t.TempDir(), func() *state.Store {
		users, err := state.OpenMemory(state.WithClock(right))
		if err != nil {
			t.Fatal(err)
		}
		return users
	}()
	core := New(&config.Instance{Server: config.Server{StateDir: t.TempDir()}}, nil, users, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = core.Close() })
	core.ShareIn(blob.InFolder(dir), "")
	name := strings.Repeat("ab", 16) + ".json"
	if err := core.shared.blobs.Put(t.Context(), name, strings.NewReader("{}"), 2); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, name), right(), right()); err != nil {
		t.Fatal(err)
	}
	core.shared.sweep(t.Context())
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		t.Errorf("what another server has just shared is gone: %v", err)
	}
	if ahead := core.Now().Sub(right()); ahead > time.Minute {
		t.Errorf("runs are due %s early", ahead)
	}
}
