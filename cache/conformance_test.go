package cache

import (
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{Open: func(home string, step func(string)) (storetest.Store, error) {
		a := newAnswers(home, "https://a", "ann")
		a.step = step
		return texts{a}, nil
	}})
}

// texts keeps each text as if it were a schema.
type texts struct{ a answers }

func (x texts) Put(name, text string) error {
	return save(x.a, schemaKey(name), entry[string]{At: time.Now(), Value: text})
}

func (x texts) Get(name string) (string, error) {
	e, ok := load[string](x.a, schemaKey(name))
	if !ok {
		return "", fs.ErrNotExist
	}
	return e.Value, nil
}

func (x texts) Drop(name string) error {
	x.a.dropTable(name)
	return nil
}

func (x texts) Sweep() error {
	x.a.files(schemas).Sweep(nil)
	return nil
}

// TestWhatEarlierReleasesWrote reads a folder as an earlier release left it.
func TestWhatEarlierReleasesWrote(t *testing.T) {
	w := newWorld(t)
	if err := os.CopyFS(w.answers.dir, os.DirFS("testdata/v1")); err != nil {
		t.Fatal(err)
	}
	w.now = time.Date(2026, 11, 22, 19, 2, 0, 0, time.UTC)
	if list, err := w.Tables(t.Context()); err != nil || len(list.Tables) != 2 || w.src.asked != 0 {
		t.Errorf("%+v, %v, asked %d times", list, err, w.src.asked)
	}
	if s, err := w.Schema(t.Context(), "flights"); err != nil || len(s.Columns) != 2 || w.src.asked != 0 {
		t.Errorf("%+v, %v, asked %d times", s, err, w.src.asked)
	}
}
