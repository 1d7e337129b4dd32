package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

const (
	// format is written into each file; files with another format are ignored.
	format = 1
	// maxFile limits how much is read; a catalog of 100,000 tables is far
	// smaller.
	maxFile = 128 << 20
	// forgottenAfter is the age at which entries of other servers and users are
	// removed.
	forgottenAfter = 30 * 24 * time.Hour
	keyDigits      = 32
	// patience is how long to wait for another process that is writing.
	patience = time.Second
)

// answers is the folder of one server and user.
type answers struct {
	parent, dir string
	step        func(string) // set by tests
}

// newAnswers names the folder by a hash, which reveals neither server nor user.
func newAnswers(parent, server, user string) answers {
	sum := sha256.Sum256([]byte("da cache\x00" + server + "\x00" + user))
	return answers{parent: parent, dir: filepath.Join(parent, hex.EncodeToString(sum[:])[:keyDigits])}
}

// key locates an entry: a folder and a name in it.
type key struct{ kind, name string }

// The folders below that of a server and user.
const (
	schemas = "schema"
	samples = "samples"
)

var catalogKey = key{name: "catalog"}

func schemaKey(id string) key { return key{schemas, id} }
func sampleKey(id string) key { return key{samples, id} }

// files returns the store for one kind of entries.
func (a answers) files(kind string) *store.Store {
	return &store.Store{
		Dir: filepath.Join(a.dir, kind), RecordExt: ".json", MaxRecord: maxFile, Step: a.step,
		Name: func(id string) bool { return api.CheckName("table id", id) == nil },
	}
}

// entry is a file of the cache.
type entry[T any] struct {
	Format int       `json:"format"`
	At     time.Time `json:"fetched_at"`
	Size   int       `json:"size,omitempty"`
	Value  T         `json:"value"`
}

// load reads an entry. Incomplete or foreign files count as missing.
func load[T any](a answers, k key) (e entry[T], ok bool) {
	err := a.files(k.kind).Read(k.name, func(record []byte) (store.Data, error) { return store.Data{}, json.Unmarshal(record, &e) })
	if err != nil || e.Format != format {
		return entry[T]{}, false
	}
	return e, true
}

// save writes an entry, completely or not at all.
func save[T any](a answers, k key, e entry[T]) error {
	e.Format = format
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	files := a.files(k.kind)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock, err := files.Lock(ctx, store.Alone)
	if err != nil {
		return err
	}
	files.Tidy(nil)
	err = files.Commit(store.Change{Name: k.name, Record: data})
	lock.Unlock()
	if err == nil && k == catalogKey {
		a.sweep(e.At)
	}
	return err
}

// clear removes one kind of entries; an empty one is all of them.
func (a answers) clear(kind string) error {
	if err := os.RemoveAll(filepath.Join(a.dir, kind)); err != nil {
		return atomicfile.Explain("clear the cache", err)
	}
	return nil
}

// dropTable removes the entries of one table.
func (a answers) dropTable(id string) {
	for _, kind := range []string{schemas, samples} {
		_ = a.files(kind).Remove(id)
	}
}

// keepTables removes the entries of tables that are not in the catalog.
func (a answers) keepTables(l *Listing) error {
	gone := map[string]bool{}
	for _, kind := range []string{schemas, samples} {
		names, _ := a.files(kind).Names()
		for _, id := range names {
			gone[id] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	for t, err := range l.All() {
		if err != nil {
			return err
		}
		delete(gone, t.ID)
	}
	for _, kind := range []string{schemas, samples} {
		_ = a.files(kind).RemoveUnless(func(id string) bool { return !gone[id] })
	}
	return nil
}

// sweep removes the folders of servers and users that have not been used for
// long. A replaced token leaves such a folder.
func (a answers) sweep(now time.Time) {
	entries, err := os.ReadDir(a.parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(a.parent, e.Name())
		if !e.IsDir() || dir == a.dir || !store.IsHex(e.Name(), keyDigits) {
			continue
		}
		info, err := os.Lstat(filepath.Join(dir, "catalog.json"))
		if errors.Is(err, fs.ErrNotExist) {
			info, err = os.Lstat(dir)
		}
		if err == nil && now.Sub(info.ModTime()) > forgottenAfter {
			_ = os.RemoveAll(dir)
		}
	}
}
