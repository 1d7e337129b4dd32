package analyst_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

var errRead = errors.New("the file cannot be read to its end")

// broken ends with an error.
type broken struct{ array.RecordReader }

func (broken) Err() error { return errRead }

// numbers opens rows 0 to n-1, of which announced are announced.
func numbers(t *testing.T, n int, announced int64, fails bool) func(context.Context) (*keep.FileRows, error) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
	}
	var rdr array.RecordReader
	rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{b.NewRecordBatch()})
	if err != nil {
		t.Fatal(err)
	}
	if fails {
		rdr = broken{rdr}
	}
	return func(context.Context) (*keep.FileRows, error) {
		return &keep.FileRows{Batches: rdr, Rows: announced, Caveats: api.CaveatsOf(api.CaveatGuessed, "guessed"), Close: rdr.Release}, nil
	}
}

// alone is an analyst who reaches no service.
func alone(t *testing.T) *analyst.Analyst {
	t.Helper()
	store, err := snapshot.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &analyst.Analyst{
		Store: store, Now: time.Now,
		Connect: func() (analyst.Remote, error) {
			t.Error("a service was asked for")
			return analyst.Remote{}, errors.New("no service")
		},
	}
}

func TestImport(t *testing.T) {
	a, ctx := alone(t), t.Context()
	var passed int64
	req := keep.ImportRequest{
		Name: "mine", Path: "/data/my file.csv", Open: numbers(t, 3, 3, false),
		OnProgress: func(rows, _ int64) { passed = rows },
	}
	result, err := keep.Import(ctx, a, req)
	if err != nil {
		t.Fatal(err)
	}
	m := result.Snapshot
	if path, ok := m.Imported(); !ok || path != req.Path || m.Rows != 3 || m.TableID != "mine" || passed != 3 ||
		len(m.Schema) != 1 || len(result.Caveats) != 1 || len(m.Caveats) != 1 || m.ContentHash == "" {
		t.Errorf("imported %+v, %v, %d rows passed", m, result.Caveats, passed)
	}
	req.Open = func(context.Context) (*keep.FileRows, error) {
		t.Error("the file was read although the name is taken")
		return nil, errRead
	}
	if _, err := keep.Import(ctx, a, req); !api.CodeSnapshotExists.Is(err) {
		t.Errorf("a taken name: %v", err)
	}
	for what, open := range map[string]func(context.Context) (*keep.FileRows, error){
		"another number of rows": numbers(t, 3, 4, false), "an error at the end": numbers(t, 2, 2, true),
	} {
		_, err := keep.Import(ctx, a, keep.ImportRequest{Name: "mine", Path: req.Path, Force: true, Open: open})
		if !api.CodeReadFailed.Is(err) && !errors.Is(err, errRead) {
			t.Errorf("%s: %v", what, err)
		}
		if now, err := a.Store.Get("mine"); err != nil || now.ContentHash != m.ContentHash {
			t.Errorf("%s: the old snapshot is gone: %+v, %v", what, now, err)
		}
	}
}

// What was imported cannot be refreshed, and says so without a server.
func TestRefreshOfAnImport(t *testing.T) {
	a, ctx := alone(t), t.Context()
	if _, err := keep.Import(ctx, a, keep.ImportRequest{Name: "mine", Path: "/data/my file.csv", Open: numbers(t, 1, 1, false)}); err != nil {
		t.Fatal(err)
	}
	_, err := fetch.Refresh(ctx, a, fetch.RefreshRequest{Name: "mine", AnyServer: true})
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeUsage || e.Kind != "imported" {
		t.Fatalf("refresh: %v", err)
	}
	if s := e.Next[0]; s.Action != api.ActionImport || s.Text("path") != "/data/my file.csv" || s.Text("as") != "mine" || s.Args["force"] != true {
		t.Errorf("next: %+v", s)
	}
}

// TestAFolderOfAnotherSchema: what a folder says of its columns is what its rows have.
func TestAFolderOfAnotherSchema(t *testing.T) {
	a, ctx := alone(t), t.Context()
	if _, err := keep.Import(ctx, a, keep.ImportRequest{Name: "mine", Path: "/data/my.csv", Open: numbers(t, 3, 3, false)}); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		old, forged string
		refused     bool
	}{
		"as it is":          {"", "", false},
		"a name":            {`"name":"n"`, `"name":"salary"`, true},
		"a type":            {`"BIGINT"`, `"DATE"`, true},
		"a column more":     {`"schema":[`, `"schema":[{"name":"more","type":"DATE"},`, true},
		"of all columns":    {`"schema":[{"name":"n","type":"BIGINT"}]`, `"schema":[]`, true},
		"of another engine": {`"duckdb-`, `"duckdb-v0.1-`, false},
	} {
		dir := filepath.Join(t.TempDir(), "packed")
		if _, err := a.Store.Pack(ctx, "mine", dir); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "mine.meta.json")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var flat bytes.Buffer
		if err := json.Compact(&flat, text); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(flat.String(), c.old) {
			t.Fatalf("%s: %s", what, flat.String())
		}
		if err := os.WriteFile(file, []byte(strings.Replace(flat.String(), c.old, c.forged, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = keep.ImportFolder(ctx, a, dir, "again", true)
		if c.refused != errors.Is(err, &api.Error{Code: api.CodeReadFailed, Kind: "damaged"}) || !c.refused && err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
