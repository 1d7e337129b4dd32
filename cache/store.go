package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/atomicfile"
)

// The names below a store's folder.
const (
	catalogFile = "catalog.json"
	schemaDir   = "schema"
	sampleDir   = "samples"
	jsonExt     = ".json"

	dirPerm  = 0o700
	filePerm = 0o600

	// format is written into each file; another is not read.
	format = 1
	// maxFile bounds what is read: far above a catalog of 100,000 tables.
	maxFile = 128 << 20
	// forgottenAfter is the age at which another server's or user's answers go.
	forgottenAfter = 30 * 24 * time.Hour
	keyDigits      = 32
)

func schemaFile(id string) string { return filepath.Join(schemaDir, id+jsonExt) }
func sampleFile(id string) string { return filepath.Join(sampleDir, id+jsonExt) }

// store is the folder of one server and one user.
type store struct{ parent, dir string }

// newStore names the folder by a hash, which gives neither away.
func newStore(parent, server, user string) store {
	sum := sha256.Sum256([]byte("da cache\x00" + server + "\x00" + user))
	return store{parent: parent, dir: filepath.Join(parent, hex.EncodeToString(sum[:])[:keyDigits])}
}

// entry is a file of the cache.
type entry[T any] struct {
	Format int       `json:"format"`
	At     time.Time `json:"fetched_at"`
	Size   int       `json:"size,omitempty"`
	Value  T         `json:"value"`
}

// load reads an entry. What is not whole or not ours is not there.
func load[T any](s store, file string) (entry[T], bool) {
	var e entry[T]
	path := filepath.Join(s.dir, file)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return e, false
	}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &e) != nil || e.Format != format {
		return entry[T]{}, false
	}
	return e, true
}

// save writes an entry, whole or not at all.
func save[T any](s store, file string, e entry[T]) error {
	e.Format = format
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, file)
	if err := os.MkdirAll(filepath.Dir(path), dirPerm); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(path, data, filePerm); err != nil {
		return err
	}
	if file == catalogFile {
		s.sweep(e.At)
	}
	return nil
}

// clear removes the folder.
func (s store) clear() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return atomicfile.Explain("clear the cache", err)
	}
	return nil
}

// dropTable removes what is kept about one table.
func (s store) dropTable(id string) {
	_ = os.Remove(filepath.Join(s.dir, schemaFile(id)))
	_ = os.Remove(filepath.Join(s.dir, sampleFile(id)))
}

// keepTables removes what is kept about tables that are not in the catalog.
func (s store) keepTables(ids map[string]bool) {
	for _, dir := range []string{schemaDir, sampleDir} {
		entries, err := os.ReadDir(filepath.Join(s.dir, dir))
		if err != nil {
			continue // nothing is kept
		}
		for _, e := range entries {
			id, isEntry := strings.CutSuffix(e.Name(), jsonExt)
			if isEntry && !ids[id] {
				_ = os.Remove(filepath.Join(s.dir, dir, e.Name()))
			}
		}
	}
}

// sweep removes the folders of servers and users that were not asked about for
// long: a token that was replaced leaves one.
func (s store) sweep(now time.Time) {
	entries, err := os.ReadDir(s.parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(s.parent, e.Name())
		if !e.IsDir() || dir == s.dir || !isKey(e.Name()) {
			continue
		}
		info, err := os.Lstat(filepath.Join(dir, catalogFile))
		if errors.Is(err, fs.ErrNotExist) {
			info, err = os.Lstat(dir)
		}
		if err == nil && now.Sub(info.ModTime()) > forgottenAfter {
			_ = os.RemoveAll(dir)
		}
	}
}

func isKey(name string) bool {
	return len(name) == keyDigits && strings.Trim(name, "0123456789abcdef") == ""
}
