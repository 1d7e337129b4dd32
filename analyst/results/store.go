// Package results is the user's folder of kept results: query results that were
// too large to show, as parquet files that later queries read under names such as
// @r1. It knows neither engine nor SQL, and never writes a parquet file itself.
// It must not exceed its limits: the oldest results are evicted, and Add returns
// their records.
//
// Below HOME/results:
//
//	rN.meta.json   the commit record, replaced by one rename
//	rN.parquet     the data that it describes; never rewritten
//	.next          the number of the next result; numbers are never reused
//	.lock          held briefly during changes
//
// A reader links the data into a folder of its own, so that it cannot be removed
// under the reader.
package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

const (
	dataExt   = ".parquet"
	nextFile  = ".next"
	filePerm  = 0o600
	format    = 1
	maxRecord = 16 << 20
	// patience is how long to wait for a lock that is normally held only briefly.
	patience = 10 * time.Second
)

// The limits: number of kept results, and bytes in total.
const (
	MaxResults = 50
	MaxBytes   = 5_000_000_000
)

// Meta is the record of a result.
type Meta struct {
	Format    int       `json:"format"`
	Name      string    `json:"name"` // as a statement writes it: @r1
	SQL       string    `json:"sql"`  // the statement
	Server    string    `json:"server,omitempty"`
	Rows      int64     `json:"rows"`
	Bytes     int64     `json:"bytes"`
	Columns   []string  `json:"columns"`
	CreatedAt time.Time `json:"created_at"`
	// Caveats are those of the query's answer.
	Caveats []api.Caveat `json:"caveats,omitempty"`
}

// Store is the folder. It is created by the first Add.
type Store struct {
	files store.Store
	now   func() time.Time
	// The limits; tests lower them.
	maxResults int
	maxBytes   int64
}

// At returns the store below a home folder.
func At(home string, now func() time.Time) *Store {
	files := store.Store{Dir: filepath.Join(home, "results"), RecordExt: ".meta.json", DataExt: dataExt, MaxRecord: maxRecord, Name: isStem}
	return &Store{files: files, now: now, maxResults: MaxResults, maxBytes: MaxBytes}
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.files.Dir }

// Get returns the record of a result. It returns CodeUnknownSnapshot of kind
// "result" if there is no such result.
func (s *Store) Get(name string) (Meta, error) {
	if m, ok := s.load(name); ok {
		return m, nil
	}
	e := &api.Error{Code: api.CodeUnknownSnapshot, Kind: api.KindResult, Message: fmt.Sprintf("there is no result '%s'", api.Clip(name, 40)),
		Hint:    "Run the query again; the oldest results go when there are too many.",
		Next:    []api.Step{api.Do(api.ActionResults, "see those that are kept")},
		Details: map[string]any{"result": api.Clip(name, 40)}}
	return Meta{}, e
}

func (s *Store) load(name string) (m Meta, ok bool) {
	if _, ok := number(name); !ok {
		return Meta{}, false
	}
	err := s.files.Read(stem(name), func(record []byte) (store.Data, error) {
		m = Meta{}
		err := json.Unmarshal(record, &m)
		if err == nil && (m.Format != format || m.Name != name) {
			err = errors.New("a record of something else")
		}
		return store.Data{Base: stem(name) + dataExt, Size: m.Bytes}, err
	})
	return m, err == nil
}

// List returns the results, oldest first.
func (s *Store) List() []Meta {
	all := []Meta{}
	stems, _ := s.files.Names() // if there is no folder, nothing was kept
	for _, stem := range stems {
		if m, ok := s.load("@" + stem); ok {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b Meta) int {
		x, _ := number(a.Name)
		y, _ := number(b.Name)
		return x - y
	})
	return all
}

// Link links a result's data into the reader's folder, which must be in the same
// home, and returns the path there. If dir is empty, it returns the path of the
// data itself. Errors are those of Get, and CodeReadFailed.
func (s *Store) Link(name, dir string) (path string, m Meta, err error) {
	if dir == "" {
		m, err = s.Get(name)
		return s.dataPath(name), m, err
	}
	path = filepath.Join(dir, stem(name)+dataExt)
	err = s.files.Hold(path, func() (string, error) {
		m, err = s.Get(name)
		return stem(name) + dataExt, err
	})
	var system *os.LinkError
	if errors.As(err, &system) {
		err = &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("result '%s' cannot be read: %v", name, err), Err: err}
	}
	return path, m, err
}

// number parses a name such as @r1.
func number(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "@r")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0 && n < 1e9 && strconv.Itoa(n) == digits
}

// stem is the common part of the names of a result's files.
func stem(name string) string { return strings.TrimPrefix(name, "@") }

func isStem(stem string) bool {
	_, ok := number("@" + stem)
	return ok
}

func (s *Store) dataPath(name string) string { return s.files.Path(stem(name) + dataExt) }
