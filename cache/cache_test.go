package cache

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// source is a catalog whose answers a test writes, and which counts.
type source struct {
	asked  int
	tables []string
	err    error
}

func (s *source) Tables(context.Context) (*api.TableList, error) {
	s.asked++
	if s.err != nil {
		return nil, s.err
	}
	list := &api.TableList{Tables: []api.Table{}}
	for _, id := range s.tables {
		list.Tables = append(list.Tables, api.Table{ID: id})
	}
	return list, nil
}

func (s *source) Schema(_ context.Context, id string) (*api.TableSchema, error) {
	s.asked++
	if s.err != nil {
		return nil, s.err
	}
	return &api.TableSchema{TableID: id, Columns: []api.Column{{Name: "n", Type: "BIGINT"}}}, nil
}

func (s *source) Sample(_ context.Context, id string, n int) (*api.Sample, error) {
	s.asked++
	if s.err != nil {
		return nil, s.err
	}
	sample := &api.Sample{TableID: id, Columns: []string{"b", "a"}}
	for i := range n {
		sample.Rows = append(sample.Rows, api.Row{Columns: sample.Columns, Values: []any{json.Number("12345678901234567890"), i}})
	}
	return sample, nil
}

// world is a cache over a source, with a clock that a test moves.
type world struct {
	*Catalog
	src *source
	now time.Time
	old []time.Duration // what OnStale was told
	dir string
}

func newWorld(t *testing.T) *world {
	w := &world{src: &source{tables: []string{"orders", "users"}}, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), dir: t.TempDir()}
	w.Catalog = w.as("https://a", "ann")
	return w
}

func (w *world) as(server, user string) *Catalog {
	return New(w.src, Options{
		Dir: w.dir, Server: server, User: user, Now: func() time.Time { return w.now },
		OnStale: func(age time.Duration) { w.old = append(w.old, age) },
	})
}

// all asks everything once.
func all(t *testing.T, c api.Catalog) []error {
	t.Helper()
	_, e1 := c.Tables(t.Context())
	_, e2 := c.Schema(t.Context(), "orders")
	_, e3 := c.Sample(t.Context(), "orders", 5)
	return []error{e1, e2, e3}
}

func (w *world) mustAll(t *testing.T, asked int) {
	t.Helper()
	before := w.src.asked
	if err := errors.Join(all(t, w.Catalog)...); err != nil {
		t.Fatal(err)
	}
	if got := w.src.asked - before; got != asked {
		t.Errorf("the source was asked %d times, want %d", got, asked)
	}
}

func TestAnswersHoldAsLongAsTheyShould(t *testing.T) {
	w := newWorld(t)
	w.mustAll(t, 3)
	w.now = w.now.Add(CatalogTTL - time.Second)
	w.mustAll(t, 0)
	w.now = w.now.Add(time.Second)
	w.mustAll(t, 1) // the catalog
	w.now = w.now.Add(SchemaTTL - CatalogTTL)
	w.mustAll(t, 3)
	w.now = w.now.Add(-time.Hour) // the clock was wrong
	w.mustAll(t, 3)
	if err := w.Clear(); err != nil {
		t.Fatal(err)
	}
	w.mustAll(t, 3)
	if len(w.old) > 0 {
		t.Errorf("stale answers: %v", w.old)
	}
}

func TestServersAndUsersAreKeptApart(t *testing.T) {
	w := newWorld(t)
	w.mustAll(t, 3)
	for _, who := range [][2]string{{"https://b", "ann"}, {"https://a", "bob"}, {"https://a\x00ann", ""}} {
		before := w.src.asked
		if err := errors.Join(all(t, w.as(who[0], who[1]))...); err != nil {
			t.Fatal(err)
		}
		if w.src.asked-before != 3 {
			t.Errorf("%q was answered with what somebody else may know", who)
		}
	}
	if err := w.as("https://b", "ann").Clear(); err != nil {
		t.Fatal(err)
	}
	w.mustAll(t, 0)
}

func TestOfflineAnswersAreOldAndSaySo(t *testing.T) {
	for _, code := range []api.Code{api.CodeUnreachable, api.CodeStalled} {
		w := newWorld(t)
		w.mustAll(t, 3)
		w.now = w.now.Add(48 * time.Hour)
		w.src.err = &api.Error{Code: code}
		w.mustAll(t, 3)
		if len(w.old) != 3 || w.old[0] != 48*time.Hour {
			t.Errorf("%s: told %v", code, w.old)
		}
		_, err := w.Schema(t.Context(), "users")
		if !code.Is(err) {
			t.Errorf("%s: what was never asked: %v", code, err)
		}
	}
}

func TestARefreshThatFailsKeepsWhatWasKept(t *testing.T) {
	for code, kept := range map[api.Code]bool{api.CodeUnreachable: true, api.CodeStalled: true, api.CodeInternal: true, api.CodeUnauthorized: false} {
		w := newWorld(t)
		w.mustAll(t, 3)
		w.src.err = &api.Error{Code: code}
		if _, err := w.Refresh(t.Context()); !code.Is(err) {
			t.Errorf("%s: Refresh says %v", code, err)
		}
		if err := errors.Join(all(t, w.Catalog)...); (err == nil) != kept {
			t.Errorf("%s: afterwards: %v", code, err)
		}
	}
	w := newWorld(t)
	w.mustAll(t, 3)
	w.src.tables = []string{"orders"}
	if list, err := w.Refresh(t.Context()); err != nil || list.Count != 1 {
		t.Errorf("Refresh: %v, %v", list, err)
	}
	w.mustAll(t, 2) // schema and sample; the list is the new one
}

func TestRefusalsAreNeverAnsweredFromTheCache(t *testing.T) {
	for _, x := range []struct {
		code api.Code
		kept int // of the three, what a later offline call still gets
	}{
		{api.CodeUnauthorized, 0}, {api.CodeForbidden, 0}, {api.CodeInternal, 3}, {api.CodeSource, 3}, {api.CodeQuota, 3}, {api.CodeConfig, 3},
	} {
		w := newWorld(t)
		w.mustAll(t, 3)
		w.now = w.now.Add(2 * time.Hour)
		w.src.err = &api.Error{Code: x.code}
		for i, err := range all(t, w.Catalog) {
			if !x.code.Is(err) {
				t.Errorf("%s: call %d got %v", x.code, i, err)
			}
		}
		w.src.err = &api.Error{Code: api.CodeUnreachable}
		kept := 0
		for _, err := range all(t, w.Catalog) {
			if err == nil {
				kept++
			}
		}
		if kept != x.kept {
			t.Errorf("%s: %d answers are left, want %d", x.code, kept, x.kept)
		}
	}
}

func TestATableThatIsGoneTakesItsAnswersAlong(t *testing.T) {
	for what, gone := range map[string]func(*world){
		"not in the catalog": func(w *world) {
			w.src.tables = []string{"users"}
			w.now = w.now.Add(CatalogTTL)
			_, _ = w.Tables(t.Context())
		},
		"refused": func(w *world) {
			w.now = w.now.Add(SchemaTTL)
			w.src.err = &api.Error{Code: api.CodeForbidden}
			_, _ = w.Schema(t.Context(), "orders")
		},
		"unknown": func(w *world) {
			w.now = w.now.Add(SampleTTL)
			w.src.err = &api.Error{Code: api.CodeUnknownTable}
			_, _ = w.Sample(t.Context(), "orders", 5)
		},
	} {
		w := newWorld(t)
		w.mustAll(t, 3)
		_, _ = w.Schema(t.Context(), "users")
		gone(w)
		w.src.err = &api.Error{Code: api.CodeUnreachable}
		w.now = w.now.Add(24 * time.Hour)
		if _, err := w.Schema(t.Context(), "orders"); err == nil {
			t.Errorf("%s: its schema is still there", what)
		}
		if _, err := w.Sample(t.Context(), "orders", 5); err == nil {
			t.Errorf("%s: its rows are still there", what)
		}
		if _, err := w.Schema(t.Context(), "users"); err != nil {
			t.Errorf("%s: another table went too: %v", what, err)
		}
	}
}

func TestALargerSampleAnswersForASmallerOne(t *testing.T) {
	w := newWorld(t)
	for _, x := range []struct{ n, asked int }{{5, 1}, {3, 0}, {5, 0}, {6, 1}, {1, 0}} {
		before := w.src.asked
		s, err := w.Sample(t.Context(), "orders", x.n)
		if err != nil || len(s.Rows) != x.n || w.src.asked-before != x.asked {
			t.Errorf("%d rows: %d asked, %v", x.n, w.src.asked-before, err)
		}
	}
	s, err := w.Sample(t.Context(), "orders", 1)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(s.Rows[0]); err != nil || string(text) != `{"b":12345678901234567890,"a":0}` {
		t.Errorf("a row came back as %s, %v", text, err)
	}
}

func TestIdsThatAreNoNamesReachNoFile(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"../x", "a/b", "", "A"} {
		if _, err := w.Schema(t.Context(), id); !api.CodeInvalidName.Is(err) {
			t.Errorf("schema of %q: %v", id, err)
		}
		if _, err := w.Sample(t.Context(), id, 1); !api.CodeInvalidName.Is(err) {
			t.Errorf("sample of %q: %v", id, err)
		}
	}
	if w.src.asked != 0 {
		t.Error("the source was asked")
	}
}

func TestDamageIsAskedAnew(t *testing.T) {
	w := newWorld(t)
	for _, text := range []string{"", "{", `{"format":2,"fetched_at":"2026-01-02T03:04:05Z","value":{}}`, "[]", strings.Repeat("x", 5000)} {
		w.mustAll(t, 3)
		for _, k := range []key{catalogKey, schemaKey("orders"), sampleKey("orders")} {
			if err := os.WriteFile(w.answers.files(k.kind).RecordPath(k.name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.mustAll(t, 3)
		if err := w.Clear(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACacheThatCannotBeWrittenIsNoError(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(w.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.dir = file // a folder cannot be made below a file, whoever asks
	w.Catalog = w.as("https://a", "ann")
	w.mustAll(t, 3)
	w.mustAll(t, 3)
}

func TestOnlyTheUserCanReadIt(t *testing.T) {
	w := newWorld(t)
	w.mustAll(t, 3)
	err := filepath.WalkDir(w.answers.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if strings.Contains(path, "ann") || strings.Contains(path, "https") {
			t.Errorf("%s names the user or the server", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestForgottenServersGo(t *testing.T) {
	w := newWorld(t)
	w.mustAll(t, 3)
	foreign := filepath.Join(w.dir, "notes")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	stale := time.Now()
	w.now = stale.Add(forgottenAfter + time.Hour)
	other := w.as("https://b", "ann")
	if _, err := other.Tables(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.answers.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old one is still there: %v", err)
	}
	for _, dir := range []string{foreign, other.answers.dir} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
}
