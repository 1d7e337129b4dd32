package overlap_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/rows/overlap"
)

// failing takes so many bytes.
type failing struct {
	left int
	all  bytes.Buffer
}

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return f.all.Write(p)
}

func TestWritesArriveInOrder(t *testing.T) {
	to := &failing{left: 1 << 20}
	w := overlap.NewWriter(to)
	var want strings.Builder
	part := make([]byte, 5)
	for i := range 1000 {
		for j := range part { // what was written may be changed at once
			part[j] = 'a' + byte((i+j)%26)
		}
		want.Write(part)
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || to.all.String() != want.String() {
		t.Errorf("%v, %d bytes", err, to.all.Len())
	}
}

func TestAFailedWriteEndsTheWriting(t *testing.T) {
	w := overlap.NewWriter(&failing{left: 100})
	n, err := io.Copy(w, struct{ io.Reader }{io.LimitReader(zeros{}, 1<<40)})
	if !errors.Is(err, errFull) || n > 1<<20 {
		t.Errorf("%v after %d bytes", err, n)
	}
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("closed with %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// source is an endless one that says whether it was closed.
type source struct {
	zeros
	closed bool
}

func (s *source) Close() error {
	s.closed = true
	return nil
}

func TestReadingEndsWithClose(t *testing.T) {
	s := &source{}
	r := overlap.NewReader(s)
	if _, err := io.ReadFull(r, make([]byte, 3<<20)); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil || !s.closed {
		t.Errorf("%v, closed: %v", err, s.closed)
	}
}

func TestReadingKeepsBytesAndErrors(t *testing.T) {
	want := strings.Repeat("0123456789", 50_000)
	r := overlap.NewReader(io.NopCloser(io.MultiReader(strings.NewReader(want), broken{})))
	got, err := io.ReadAll(r)
	if !errors.Is(err, errFull) || string(got) != want {
		t.Errorf("%v, %d bytes", err, len(got))
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errFull }
