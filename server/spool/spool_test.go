package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
)

func newTest(t *testing.T, limits Limits) *Spool {
	t.Helper()
	s := New(t.TempDir(), limits)
	t.Cleanup(s.Close)
	return s
}

func mustMake(t *testing.T, s *Spool, key string, dropped func()) *File {
	t.Helper()
	f, err := s.Make(key, nil, dropped)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func openAt(t *testing.T, f *File, from int64) *Reader {
	t.Helper()
	r, err := f.OpenAt(from)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAFileIsReadOnFromAnywhere cuts a reader at each byte, and goes on there
// while the file is still being written.
func TestAFileIsReadOnFromAnywhere(t *testing.T) {
	s := newTest(t, Limits{Bytes: 1 << 20, Files: 100, For: time.Hour})
	want := []byte(strings.Repeat("0123456789", 20))
	for cut := range want {
		f := mustMake(t, s, "k", func() {})
		go func() {
			for i := range want {
				_, _ = f.Write(want[i : i+1])
			}
			_ = f.CloseWithError(nil)
		}()
		first := openAt(t, f, 0)
		got := make([]byte, cut)
		if _, err := io.ReadFull(first, got); err != nil {
			t.Fatal(err)
		}
		_ = first.Close()
		rest, err := io.ReadAll(openAt(t, s.Open(f.Tag, "k"), int64(cut)))
		if err != nil || !bytes.Equal(append(got, rest...), want) {
			t.Fatalf("cut at %d: %q, %v", cut, rest, err)
		}
		f.Drop()
	}
}

func TestOnlyTheSameKeyOpensAFile(t *testing.T) {
	s := newTest(t, Limits{Bytes: 1 << 20, Files: 100, For: time.Hour})
	f := mustMake(t, s, "una", func() {})
	if s.Open(f.Tag, "ben") != nil || s.Open("0123", "una") != nil || s.Open(f.Tag, "una") != f {
		t.Error("a file is opened by its tag and its key, and by nothing else")
	}
	f.Drop()
	if s.Open(f.Tag, "una") != nil {
		t.Error("a dropped file is opened")
	}
}

// TestWithoutRoomAFileIsNotKept: it still arrives, but cannot be gone on with from
// before.
func TestWithoutRoomAFileIsNotKept(t *testing.T) {
	s := newTest(t, Limits{Bytes: 100, Files: 100, For: time.Hour})
	f := mustMake(t, s, "k", func() {})
	want := strings.Repeat("0123456789", 100)
	r := openAt(t, f, 0)
	go func() { _ = f.CloseWithError(copyAll(f, want)) }()
	got, err := io.ReadAll(r)
	if err != nil || string(got) != want {
		t.Fatalf("%d bytes of %d, %v", len(got), len(want), err)
	}
	info, err := f.disk.Stat()
	if err != nil || info.Size() > 100+10 {
		t.Errorf("%d bytes are on the disk, %v", info.Size(), err)
	}
	if _, err := f.OpenAt(0); !errors.Is(err, ErrGone) {
		t.Errorf("its beginning is opened: %v", err)
	}
	// Nobody reads, and nothing can be let go of.
	alone := mustMake(t, s, "k", func() {})
	if err := copyAll(alone, want); !errors.Is(err, errFull) {
		t.Errorf("a file that nobody reads goes on: %v", err)
	}
}

func copyAll(w io.Writer, text string) error {
	_, err := io.Copy(struct{ io.Writer }{w}, iotest.OneByteReader(strings.NewReader(text)))
	return err
}

// TestTheOldestGoesForANewFile: one that nobody reads, and only such.
func TestTheOldestGoesForANewFile(t *testing.T) {
	s := newTest(t, Limits{Bytes: 100, Files: 100, For: time.Hour})
	fill := func(n int) *File {
		f := mustMake(t, s, "k", func() {})
		if _, err := f.Write(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		return f
	}
	read, old, young := fill(30), fill(30), fill(30)
	openAt(t, read, 0)
	_ = openAt(t, old, 0).Close()
	_ = openAt(t, young, 0).Close()
	fill(30)
	for what, c := range map[string]struct {
		f    *File
		kept bool
	}{"the one that is read": {read, true}, "the oldest": {old, false}, "the younger": {young, true}} {
		if got := s.Open(c.f.Tag, "k") != nil; got != c.kept {
			t.Errorf("%s is kept: %t", what, got)
		}
	}
}

// TestFilesThatNobodyReadsAreFew: small files take no room, but each has a descriptor.
func TestFilesThatNobodyReadsAreFew(t *testing.T) {
	s := newTest(t, Limits{Bytes: 1 << 20, Files: 3, For: time.Hour})
	read := mustMake(t, s, "k", func() {})
	openAt(t, read, 0)
	var left []*File
	for range 10 {
		f := mustMake(t, s, "k", func() {})
		_ = openAt(t, f, 0).Close()
		left = append(left, f)
	}
	for i, f := range append(left, read) {
		if got, want := s.Open(f.Tag, "k") != nil, i >= len(left)-2; got != want {
			t.Errorf("file %d is kept: %t", i, got)
		}
	}
}

func TestAFileGoesWhenItsTimeIsOver(t *testing.T) {
	s := newTest(t, Limits{Bytes: 100, Files: 100, For: time.Millisecond})
	gone := make(chan struct{})
	f := mustMake(t, s, "k", func() { close(gone) })
	_ = openAt(t, f, 0).Close()
	<-gone
	if _, err := f.Write([]byte("x")); !errors.Is(err, ErrGone) {
		t.Errorf("it is still written: %v", err)
	}
	if _, err := os.Stat(f.disk.Name()); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestCloseWaitsForWriters: what they hold is closed next.
func TestCloseWaitsForWriters(t *testing.T) {
	s := New(t.TempDir(), Limits{Bytes: 100, Files: 100, For: time.Hour})
	var ended atomic.Bool
	mustMake(t, s, "k", func() { ended.Store(true) })
	s.Close()
	if entries, err := os.ReadDir(s.parent); !ended.Load() || err != nil || len(entries) > 0 {
		t.Errorf("ended %t, left %v, %v", ended.Load(), entries, err)
	}
}

func TestAWriterThatFailedIsNotGoneOnWith(t *testing.T) {
	s := newTest(t, Limits{Bytes: 100, Files: 100, For: time.Hour})
	broken := errors.New("the source is down")
	f := mustMake(t, s, "k", func() {})
	_ = f.CloseWithError(broken)
	r := openAt(t, f, 0)
	if _, err := io.ReadAll(r); !errors.Is(err, broken) {
		t.Error(err)
	}
	_ = r.Close()
	if s.Open(f.Tag, "k") != nil {
		t.Error("it is kept")
	}
}

// TestANewReaderTurnsTheOldOneAway: the client is back before the server knows
// that its connection was lost.
func TestANewReaderTurnsTheOldOneAway(t *testing.T) {
	s := newTest(t, Limits{Bytes: 100, Files: 100, For: time.Hour})
	f := mustMake(t, s, "k", func() {})
	old := openAt(t, f, 0)
	ended := make(chan error, 1)
	go func() {
		_, err := old.Read(make([]byte, 1))
		ended <- err
	}()
	openAt(t, f, 0)
	if err := <-ended; !errors.Is(err, errReplaced) {
		t.Error(err)
	}
	_ = old.Close()
	if _, idle := f.idleSince(); idle {
		t.Error("the old reader's end is taken for the new one's")
	}
}
