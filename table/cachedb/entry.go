package cachedb

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/filechange"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table/intake"
)

// Version is raised when profiles or databases change their meaning.
const Version = 18

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

// Look returns the entry of a file, and reads the file only if it is new or has
// changed. file must be the open source. Concurrent first calls read it only
// once.
func (s *Store) Look(ctx context.Context, src Source, file *intake.File) (*Entry, error) {
	key := src.Key()
	st := stampOf(file.Info)
	if e, err := s.load(key); err == nil && e.fresh(st) {
		return e, nil
	}
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.look(ctx, key, src, file)
}

// look is Look under the lock.
func (s *Store) look(ctx context.Context, key string, src Source, file *intake.File) (*Entry, error) {
	st := stampOf(file.Info)
	now := s.now()
	old, err := s.load(key)
	if err == nil {
		if old.fresh(st) {
			return old, nil
		}
		if old.Head.Stamp.Size == st.Size {
			hash, err := file.Hash(ctx)
			if err != nil {
				return nil, err
			}
			if hash == old.Head.Hash {
				old.Head.Stamp, old.Head.Checked = st, now
				return old, kept("keep what was learnt about the file", s.save(ctx, key, old, ""))
			}
		}
	}
	e := &Entry{
		Head:    Head{Version: Version, Engine: duckdb.Version, Path: src.Path, Stamp: st, Checked: now},
		Answers: map[string]json.RawMessage{},
	}
	if e.Profile, err = s.profile(ctx, file, src.Options); err != nil {
		return nil, err
	}
	e.Head.Hash = e.Profile.Hash
	// The rows of the old content are removed together with its record.
	if err := s.save(ctx, key, e, ""); err != nil {
		return nil, atomicfile.Explain("keep what was learnt about the file", err)
	}
	return e, nil
}

// Remember stores an answer in an entry, if the entry is still about the same
// content. If it fails, the next caller has to compute the answer again.
func (s *Store) Remember(ctx context.Context, src Source, hash, name string, answer any) {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if enc.Encode(answer) != nil {
		return
	}
	key := src.Key()
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return
	}
	defer unlock()
	e, err := s.load(key)
	if err != nil || e.Head.Hash != hash {
		return
	}
	if e.Answers == nil {
		e.Answers = map[string]json.RawMessage{}
	}
	e.Answers[name] = data.Bytes()
	_ = s.save(ctx, key, e, "")
}
