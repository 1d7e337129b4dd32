// Package opentables has tables of Delta and Iceberg that Spark 4.1.4 wrote, with
// delta-spark 4.4.0 and iceberg-spark-runtime 1.12.0, and Iceberg's own library
// those that Spark cannot write: each with questions and Spark's answers. It knows
// no reader, and must not be changed to suit one: answers.json says where an answer
// was worked out by hand.
package opentables

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

//go:embed delta.tar.gz iceberg.tar.gz answers.json
var files embed.FS

// Table is a table with its questions. A question is a statement over t.
type Table struct {
	Table, What string
	Queries     []Question
	Versions    []Version // of Delta
	Snapshots   []Version // of Iceberg
}

// Question is a statement with the one row that it gives, as texts; nil: NULL.
type Question struct {
	SQL    string
	Answer []*string
	// Unpruned is the answer where NaN is greater than all numbers, as in DuckDB, if
	// that is another one.
	Unpruned []*string
}

// Version is an older state of a table: its rows, and the sum of its column id.
type Version struct {
	Version int64
	ID, Ref string
	Answer  []*string
}

// Tables lists the tables of a kind: delta or iceberg.
func Tables(t testing.TB, kind string) []Table {
	t.Helper()
	text, err := files.ReadFile("answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var kinds map[string]json.RawMessage
	var tables []Table
	if err = json.Unmarshal(text, &kinds); err == nil {
		err = json.Unmarshal(kinds[kind], &tables)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// Unpack writes the tables of a kind into a folder of the test, and returns that.
func Unpack(t testing.TB, kind string) string {
	t.Helper()
	packed, err := files.ReadFile(kind + ".tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return filepath.Join(dir, kind)
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		content, err := io.ReadAll(r)
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755)); err == nil {
			err = os.WriteFile(path, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
