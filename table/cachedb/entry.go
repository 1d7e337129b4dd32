package cachedb

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/disk/filechange"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table/intake"
)

// Version is raised when profiles or databases change their meaning.
const Version = 29

// Head says what an entry is about.
type Head struct {
	Version  int       `json:"version"`
	Engine   string    `json:"engine"`
	Path     string    `json:"path"`
	Stamp    Stamp     `json:"stamp"`
	Hash     string    `json:"hash"`
	Checked  time.Time `json:"checked"` // when the stamp was taken
	Database string    `json:"database,omitempty"`
}

// Stamp is the file system's metadata of a file.
type Stamp struct {
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mtime"`
	Change  int64     `json:"ctime"` // nanoseconds; 0 if the system has none
	Inode   uint64    `json:"inode"`
}

func stampOf(info fs.FileInfo) Stamp {
	st := Stamp{Size: info.Size(), ModTime: info.ModTime().UTC()}
	st.Change, st.Inode = filechange.Of(info)
	return st
}

func (a Stamp) equal(b Stamp) bool {
	return a.Size == b.Size && a.ModTime.Equal(b.ModTime) && a.Change == b.Change && a.Inode == b.Inode
}

// Entry is what is known about a file.
type Entry struct {
	Head    Head
	Profile *intake.Profile
	Answers map[string]json.RawMessage
}

// orphan reports whether the entry's source is gone.
func (h Head) orphan() bool {
	_, err := os.Stat(h.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// Source names a file and how it is to be read.
type Source struct {
	Path    string // absolute, without symbolic links
	Options intake.Options
}

// Key returns the name of the source's entry.
func (s Source) Key() string {
	opts, err := json.Marshal(s.Options)
	if err != nil {
		panic(err) // plain fields only
	}
	h := xxh3.New()
	_, _ = h.WriteString(s.Path)
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(opts)
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

// head reads only the head of an entry.
func (s *Store) head(key string) (h Head, err error) {
	f, err := os.Open(s.files.RecordPath(key))
	if err != nil {
		return h, err
	}
	defer f.Close()
	if err = json.NewDecoder(f).Decode(&h); err == nil && (h.Version != Version || h.Engine != duckdb.Version) {
		err = errors.New("the entry is of another release")
	}
	return h, err
}

// load reads an entry. If its database has been removed, the entry has none.
func (s *Store) load(key string) (e *Entry, err error) {
	err = s.files.Read(key, func(record []byte) (store.Data, error) {
		e, err = parse(record)
		if err != nil {
			return store.Data{}, err
		}
		return store.Data{Base: e.Head.Database, Size: -1}, nil
	})
	if errors.Is(err, store.ErrDataMissing) {
		e.Head.Database, err = "", nil
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func parse(record []byte) (*Entry, error) {
	lines := bytes.SplitN(record, []byte{'\n'}, 3)
	if len(lines) != 3 {
		return nil, errors.New("the entry is damaged")
	}
	e := &Entry{}
	for i, to := range []any{&e.Head, &e.Profile, &e.Answers} {
		if err := json.Unmarshal(lines[i], to); err != nil {
			return nil, fmt.Errorf("the entry is damaged: %w", err)
		}
	}
	if e.Head.Version != Version || e.Head.Engine != duckdb.Version {
		return nil, errors.New("the entry is of another release")
	}
	return e, nil
}

// record returns the text that parse reads.
func (e *Entry) record() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a kept answer is the same as a new one, byte for byte
	for _, part := range []any{e.Head, e.Profile, e.Answers} {
		if err := enc.Encode(part); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// fresh reports whether the entry is still valid for a file with this stamp: the
// stamps must be equal, and the file must have been old enough when its stamp was
// taken that a later change shows in it.
func (e *Entry) fresh(st Stamp) bool {
	if e == nil || !e.Head.Stamp.equal(st) {
		return false
	}
	last := st.ModTime
	if c := time.Unix(0, st.Change); st.Change > 0 && c.After(last) {
		last = c
	}
	return e.Head.Checked.Sub(last) > settled
}

// Store is the folder of all entries. It is safe for concurrent use, also by
// several processes.
type Store struct {
	files   store.Store
	max     int64
	now     func() time.Time
	profile Profiler
}
