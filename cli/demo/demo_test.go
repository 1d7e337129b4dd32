package demo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/registry"
)

func TestWriteTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	first, err := os.Stat(filepath.Join(dir, "data", "airports.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, InstanceFile)); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir); err != nil {
		t.Fatalf("again, over its own files: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, InstanceFile)); err != nil {
		t.Errorf("what was missing is not there again: %v", err)
	}
	again, err := os.Stat(filepath.Join(dir, "data", "airports.csv"))
	if err != nil || !os.SameFile(first, again) {
		t.Errorf("a file that was as it should be was written again: %v", err)
	}
}

func TestWriteLeavesForeignFilesAlone(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, InstanceFile)
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir); !api.CodeTargetExists.Is(err) {
		t.Errorf("got %v, want %s", err, api.CodeTargetExists)
	}
	if text, err := os.ReadFile(mine); string(text) != "mine" || err != nil {
		t.Errorf("the file was touched: %q, %v", text, err)
	}
	if entries, err := os.ReadDir(dir); len(entries) != 1 || err != nil {
		t.Errorf("something was written: %v, %v", entries, err)
	}
}

func TestWriteSaysWhyItCannot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(file); !api.CodeNotWritable.Is(err) {
		t.Errorf("into a file: got %v, want %s", err, api.CodeNotWritable)
	}
}

// TestInstance opens what is written and holds each table to its description.
func TestInstance(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	inst, err := config.LoadInstance(filepath.Join(dir, InstanceFile), registry.Types())
	if err != nil {
		t.Fatal(err)
	}
	sources, err := registry.Open(inst, registry.With{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range sources {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	rows := map[string]int64{"flights": 300_000, "airports": 3_376}
	columns := map[string]int{"flights": 6, "airports": 7}
	if len(inst.Tables) != len(rows) {
		t.Errorf("%d tables, want %d", len(inst.Tables), len(rows))
	}
	for _, table := range inst.Tables {
		src := sources[table.Source]
		schema, err := src.Schema(t.Context(), source.Relation{Name: table.Relation})
		if err != nil {
			t.Errorf("%s: %v", table.ID, err)
			continue
		}
		if len(schema.Columns) != columns[table.ID] {
			t.Errorf("%s has the columns %v", table.ID, schema.Columns)
		}
		if schema.RowCount != nil && *schema.RowCount != rows[table.ID] {
			t.Errorf("%s has %d rows, want %d", table.ID, *schema.RowCount, rows[table.ID])
		}
		typed, err := predicate.NewSchema(src.Dialect(), schema.Columns)
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range table.WhereExamples {
			where, err := predicate.Parse(src.Dialect(), example, typed)
			if err != nil {
				t.Errorf("%s: %s: %v", table.ID, example, err)
				continue
			}
			if n := count(t, src, table.Relation, where); n == 0 || n >= rows[table.ID] {
				t.Errorf("%s: %s selects %d rows", table.ID, example, n)
			}
		}
		if n := count(t, src, table.Relation, nil); n != rows[table.ID] {
			t.Errorf("%s has %d rows, want %d", table.ID, n, rows[table.ID])
		}
	}
	partitioned, err := sources["files"].Schema(t.Context(), source.Relation{Name: "flights/**/*.parquet"})
	if err != nil || len(partitioned.PartitionBy) != 1 || partitioned.PartitionBy[0] != "month" {
		t.Errorf("flights is not partitioned by month: %+v, %v", partitioned, err)
	}
}

// count scans the first column.
func count(t *testing.T, src source.Source, relation string, where predicate.Expr) int64 {
	t.Helper()
	schema, err := src.Schema(t.Context(), source.Relation{Name: relation})
	if err != nil {
		t.Fatal(err)
	}
	rdr, err := src.Scan(t.Context(), source.Scan{
		Relation: source.Relation{Name: relation}, Select: []string{schema.Columns[0].Name}, Where: where,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer rdr.Release()
	var n int64
	for rdr.Next() {
		n += rdr.RecordBatch().NumRows()
	}
	if rdr.Err() != nil {
		t.Fatal(rdr.Err())
	}
	return n
}
