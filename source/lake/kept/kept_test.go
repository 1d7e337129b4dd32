package kept

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/testing/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{Open: func(home string, step func(string)) (storetest.Store, error) {
		r := Open(filepath.Join(home, "kept"))
		r.files.Step = step
		return texts{r}, nil
	}, Busy: func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }})
}

// texts keeps texts as records.
type texts struct{ r *Records }

func (x texts) Put(name, text string) error { return x.r.Save(text, name) }

func (x texts) Get(name string) (string, error) {
	var text string
	if !x.r.Load(&text, name) {
		return "", fs.ErrNotExist
	}
	return text, nil
}

func (x texts) Drop(key string) error {
	err := x.r.files.Remove(name([]string{key}))
	if errors.Is(err, fs.ErrNotExist) { // nothing has been saved yet
		return nil
	}
	return err
}

func (x texts) Sweep() error {
	x.r.files.Sweep(nil)
	return nil
}

// TestRecordsThatAreNotKept: damaged ones, large ones, and those that JSON changes.
func TestRecordsThatAreNotKept(t *testing.T) {
	dir := t.TempDir()
	r := Open(dir)
	type record struct{ Text string }
	if err := r.Save(record{"kept"}, "a", "1"); err != nil {
		t.Fatal(err)
	}
	load := func(key ...string) (text string, ok bool) {
		var into record
		ok = r.Load(&into, key...)
		return into.Text, ok
	}
	if text, ok := load("a", "1"); !ok || text != "kept" {
		t.Errorf("%q, %v", text, ok)
	}
	if _, ok := load("a1"); ok {
		t.Error("another key has the record")
	}
	for _, text := range []string{"\xff", strings.Repeat("x", MaxRecord)} {
		if err := r.Save(record{text}, "b"); err == nil {
			t.Errorf("%.10q is kept", text)
		}
	}
	path := r.files.RecordPath(name([]string{"a", "1"}))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		damaged := strings.Clone(string(data[:i])) + string(data[i]^1) + string(data[i+1:])
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, ok := load("a", "1"); ok {
			t.Errorf("byte %d is damaged, and the record is %q", i, text)
		}
	}
}

// TestOldRecordsGo fills the folder.
func TestOldRecordsGo(t *testing.T) {
	old := budget
	budget = store.Budget{Count: 3, Bytes: 1 << 20}
	t.Cleanup(func() { budget = old })
	r := Open(t.TempDir())
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if err := r.Save(key, key); err != nil {
			t.Fatal(err)
		}
	}
	names, err := r.files.Names()
	if err != nil || len(names) != 3 {
		t.Errorf("%v, %v", names, err)
	}
}
