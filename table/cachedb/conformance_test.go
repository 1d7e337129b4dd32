package cachedb

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/storetest"
	"github.com/agnes-data/da/table/intake"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{Derived: true, Open: func(home string, step func(string)) (storetest.Store, error) {
		s, err := Open(filepath.Join(home, "tables"), 0, time.Now, func(ctx context.Context, f *intake.File, o intake.Options) (*intake.Profile, error) {
			return f.Profile(ctx, o)
		})
		if err != nil {
			return nil, err
		}
		s.files.Step = step
		return &texts{s, home}, nil
	}})
}

// texts keeps each text as the one value of a file of that name beside home.
type texts struct {
	s    *Store
	home string
}

func (x *texts) source(name string) Source {
	return Source{Path: filepath.Clean(x.home) + "-" + name + ".csv"}
}

// Put replaces the file, as whoever made it may do at any time, and builds its
// database.
func (x *texts) Put(name, text string) error {
	src := x.source(name)
	next, err := os.CreateTemp(filepath.Dir(src.Path), "next")
	if err != nil {
		return err
	}
	if _, err := next.WriteString("text\n" + text + "\n"); err != nil {
		return err
	}
	if err := next.Close(); err != nil {
		return err
	}
	if err := os.Rename(next.Name(), src.Path); err != nil {
		return err
	}
	if _, err = x.read(src); errors.Is(err, fs.ErrNotExist) {
		return nil // another has dropped it since
	}
	return err
}

func (x *texts) Get(name string) (string, error) { return x.read(x.source(name)) }

// read answers from the database of a file, which it builds if need be.
func (x *texts) read(src Source) (string, error) {
	for {
		f, err := intake.Open(src.Path)
		if err != nil {
			if _, gone := os.Stat(src.Path); gone != nil {
				err = fs.ErrNotExist
			}
			return "", err
		}
		path, _, err := x.s.Database(context.Background(), src, f, fill)
		_ = f.Close()
		if err != nil {
			return "", err // fs.ErrNotExist where the file went before its rows were read
		}
		if text, err := value(path); err == nil {
			return text, nil
		} else if _, there := os.Stat(path); there == nil {
			return "", err
		}
	}
}

// fill keeps the rows of the file that the entry is about.
func fill(ctx context.Context, c *duckdb.Conn, e *Entry) error {
	data, err := os.ReadFile(e.Head.Path)
	if err != nil {
		return err
	}
	_, text, _ := strings.Cut(string(data), "\n")
	quoted, err := json.Marshal(strings.TrimSuffix(text, "\n"))
	if err != nil {
		return err
	}
	return c.Exec(ctx, "CREATE TABLE data AS SELECT '"+strings.Trim(string(quoted), `"`)+"' AS text")
}

func value(path string) (text string, err error) {
	db, err := duckdb.OpenFile(path, true, duckdb.Options{})
	if err != nil {
		return "", err
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		return "", err
	}
	defer c.Close()
	err = c.QueryRow(context.Background(), "SELECT text FROM data", nil, &text)
	return text, err
}

func (x *texts) Drop(name string) error {
	err := os.Remove(x.source(name).Path)
	x.s.Sweep("")
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

func (x *texts) Sweep() error {
	x.s.Sweep("")
	return nil
}
