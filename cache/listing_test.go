package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// listing is a source whose tables come one by one.
type listing struct {
	source
	first []string // of a try that is repeated
	fail  error    // after the last table
}

func (s *listing) EachTable(_ context.Context, begin func() error, each func(*api.Table) error) (time.Time, error) {
	s.asked++
	for _, try := range [][]string{s.first, s.tables} {
		if err := begin(); err != nil {
			return time.Time{}, err
		}
		for _, id := range try {
			if err := each(&api.Table{ID: id, Description: `"<é`, RowRule: id == "users"}); err != nil {
				return time.Time{}, err
			}
		}
	}
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), s.fail
}

func idsOf(t *testing.T, l *Listing) (ids []string) {
	t.Helper()
	defer l.Close()
	for range 2 { // as often as wanted
		ids = nil
		for table, err := range l.All() {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, table.ID)
		}
	}
	return ids
}

func TestTablesComeOneByOne(t *testing.T) {
	w := newWorld(t)
	src := &listing{source: source{tables: []string{"orders", "users"}}, first: []string{"half"}}
	c := New(src, Options{Dir: w.dir, Server: "s", Now: func() time.Time { return w.now }})
	for i := range 2 {
		l, err := c.Listing(t.Context())
		if err != nil || !l.RowRule || l.Count != 2 || l.ServerTime.Year() != 2026 || src.asked != 1 {
			t.Fatalf("%d: %+v, %v, asked %d times", i, l, err, src.asked)
		}
		if ids := idsOf(t, l); !slices.Equal(ids, []string{"orders", "users"}) {
			t.Errorf("%d: %v", i, ids)
		}
	}
	// What is kept has the form of every entry.
	if e, ok := load[api.TableList](c.answers, catalogKey); !ok || len(e.Value.Tables) != 2 || e.Value.Tables[1].Description != `"<é` || !e.At.Equal(w.now) {
		t.Errorf("%+v, %t", e, ok)
	}
	// An answer that ends early, or cannot be had, leaves what was kept; a file that is
	// open stays readable beside a newer one.
	old, err := c.Listing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(CatalogTTL)
	src.fail = &api.Error{Code: api.CodeUnreachable, Message: "gone"}
	src.tables = []string{"new"}
	if list, err := c.Tables(t.Context()); err != nil || len(list.Tables) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	src.fail = nil
	if list, err := c.Tables(t.Context()); err != nil || len(list.Tables) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if ids := idsOf(t, old); len(ids) != 2 {
		t.Errorf("%v", ids)
	}
	left, err := filepath.Glob(filepath.Join(c.answers.dir, ".tmp-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestTablesWithoutADisk: a cache that cannot be written is no reason to fail.
func TestTablesWithoutADisk(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(w.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	src := &listing{source: source{tables: []string{"orders"}}}
	c := New(src, Options{Dir: file, Server: "s", Now: func() time.Time { return w.now }})
	if l, err := c.Listing(t.Context()); err != nil || !slices.Equal(idsOf(t, l), []string{"orders"}) {
		t.Errorf("%v", err)
	}
	src.err = errors.New("no")
	if l, err := c.Listing(t.Context()); err == nil {
		t.Errorf("%+v", l)
	}
}

// TestTablesBesideAnotherWriter: who holds the cache for long keeps nobody from reading
// what was fetched, and no second answer is asked for.
func TestTablesBesideAnotherWriter(t *testing.T) {
	w := newWorld(t)
	src := &listing{source: source{tables: []string{"orders"}}}
	c := New(src, Options{Dir: w.dir, Server: "s", Now: func() time.Time { return w.now }})
	lock, err := c.answers.files("").Lock(t.Context(), store.Alone)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	if l, err := c.Listing(t.Context()); err != nil || !slices.Equal(idsOf(t, l), []string{"orders"}) || src.asked != 1 {
		t.Errorf("%v, asked %d times", err, src.asked)
	}
}

// TestDamagedCatalogs: what is not whole counts as missing before a table of it is seen.
func TestDamagedCatalogs(t *testing.T) {
	w := newWorld(t)
	src := &listing{source: source{tables: []string{"orders"}}}
	c := New(src, Options{Dir: w.dir, Server: "s", Now: func() time.Time { return w.now }})
	path := c.answers.files("").RecordPath("catalog")
	for i, text := range []string{
		``, `{`, `[]`, `{"format":1,"fetched_at":"2026-01-02T03:04:05Z","value":{"tables":[{"id":"a"}`, `{"format":2,"value":{"tables":[]}}`,
		`{"format":1,"fetched_at":"2026-01-02T03:04:05Z","value":{}}`, `{"format":1,"fetched_at":"2026-01-02T03:04:05Z","value":{"tables":[{"id":7}]}}`,
	} {
		if _, err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		src.tables = []string{fmt.Sprint("t", i)}
		if l, err := c.Listing(t.Context()); err != nil || !slices.Equal(idsOf(t, l), src.tables) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
