package artifact

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{Open: func(home string, step func(string)) (storetest.Store, error) {
		s := At(home, time.Now)
		s.files.Step = step
		return &texts{s}, nil
	}})
}

// texts keeps each text as a table of one row, whose version is always new.
type texts struct{ s *Store }

func (x *texts) Put(name, text string) error {
	_, err := x.s.Get(context.Background(), Request{TableID: name,
		Version: func(context.Context) (string, error) { return store.NewID(), nil },
		Scan: func(context.Context) (array.RecordReader, []api.Column, error) {
			rows, err := oneRow(text)
			return rows, nil, err
		}})
	return err
}

func oneRow(text string) (array.RecordReader, error) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "text", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append(text)
	batch := b.NewRecordBatch()
	defer batch.Release()
	return array.NewRecordReader(schema, []arrow.RecordBatch{batch})
}

func (x *texts) Get(name string) (string, error) {
	read, release, err := x.Hold(name)
	if err != nil {
		return "", err
	}
	defer release()
	return read()
}

// Hold opens the file, as an answer to a client does.
func (x *texts) Hold(name string) (read func() (string, error), release func(), err error) {
	for {
		f, ok := x.s.Current(name, "")
		if !ok {
			return nil, nil, fs.ErrNotExist
		}
		file, err := x.s.Open(f)
		if err != nil {
			continue // replaced in between
		}
		return func() (string, error) { return textIn(file) }, func() { _ = file.Close() }, nil
	}
}

func (x *texts) Drop(name string) error { return x.s.remove(context.Background(), entryName(name, "")) }

func (x *texts) Sweep() error {
	x.s.files.Sweep(x.s.named)
	return nil
}

// textIn reads a file that may have no name any more.
func textIn(f *os.File) (text string, err error) {
	dir, err := os.MkdirTemp("", "artifact")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<30))
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "copy.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", err
	}
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		return "", err
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		return "", err
	}
	defer conn.Close()
	err = conn.QueryRow(context.Background(), "SELECT text FROM read_parquet(?)", []any{path}, &text)
	return text, err
}
