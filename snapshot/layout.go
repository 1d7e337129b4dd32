package snapshot

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
)

// The names on disk; doc.go says what they are.
const (
	snapshotsDir = "snapshots"
	runDir       = "run"
	lockFile     = ".lock"
	namesDir     = ".names"
	usedDir      = ".used"
	pendingFile  = ".pending"

	sidecarExt = ".meta.json"
	dataExt    = ".parquet"
	lockExt    = ".lock"
	tempPrefix = ".tmp-"
	// scratchPrefix is what DuckDB puts before the name of a file that it is
	// still writing, where a file of that name exists already.
	scratchPrefix = "tmp_"

	idDigits = 16
	dirPerm  = 0o700
	filePerm = 0o600
)

// newID returns an id for a temporary file, a generation or a reader.
func newID() string {
	var b [idDigits / 2]byte
	_, _ = rand.Read(b[:]) // never fails: it would end the process
	return hex.EncodeToString(b[:])
}

func isID(s string) bool {
	return len(s) == idDigits && strings.Trim(s, "0123456789abcdef") == ""
}

func isName(s string) bool { return api.CheckName("snapshot name", s) == nil }

// dataName is the base name of a generation.
func dataName(name, generation string) string { return name + "-" + generation + dataExt }

// dataOf returns the name whose generation a base name is. Whether it is one
// that may be a name is not looked at.
func dataOf(base string) (name string, ok bool) {
	stem, isData := strings.CutSuffix(base, dataExt)
	i := strings.LastIndexByte(stem, '-')
	if !isData || i < 0 || !isID(stem[i+1:]) {
		return "", false
	}
	return stem[:i], true
}

func (s *Store) path(base string) string         { return filepath.Join(s.dir, base) }
func (s *Store) sidecarPath(name string) string  { return s.path(name + sidecarExt) }
func (s *Store) linkPath(name string) string     { return s.path(name + dataExt) }
func (s *Store) usedPath(name string) string     { return filepath.Join(s.dir, usedDir, name) }
func (s *Store) nameLockPath(name string) string { return filepath.Join(s.dir, namesDir, name) }
func (s *Store) tempPath(id string) string       { return s.path(tempPrefix + id + dataExt) }
func (s *Store) tempLockPath(id string) string   { return s.path(tempPrefix + id + lockExt) }

// listing is what the names in the snapshots folder say, without opening any.
type listing struct {
	snapshots map[string]*presence
	temps     map[string]bool // ids
	staged    []string        // base names of interrupted small writes
}

// presence says which files of one snapshot there are.
type presence struct {
	sidecar, link bool
	data          []string // base names of generations
}

// whole reports whether there is what a finished install leaves, and no more.
func (p *presence) whole() bool { return p.sidecar && p.link && len(p.data) == 1 }

// of returns the entry of a name, nil if it cannot be one. Most names come
// thrice, and are checked once.
func (l *listing) of(name string) *presence {
	p := l.snapshots[name]
	if p == nil && isName(name) {
		p = &presence{}
		l.snapshots[name] = p
	}
	return p
}

// list reads the folder once. A store that was never written to is empty.
func (s *Store) list() (*listing, error) {
	bases, err := baseNames(s.dir)
	if err != nil {
		return nil, err
	}
	l := &listing{snapshots: make(map[string]*presence, len(bases)/3), temps: map[string]bool{}}
	for _, base := range bases {
		l.add(base)
	}
	return l, nil
}

// add sorts one base name in; what is none of ours is passed over.
func (l *listing) add(base string) {
	if atomicfile.Leftover(base) {
		l.staged = append(l.staged, base)
		return
	}
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(base, scratchPrefix), tempPrefix); ok {
		id := strings.TrimSuffix(strings.TrimSuffix(rest, dataExt), lockExt)
		if isID(id) {
			l.temps[id] = true
		}
		return
	}
	if name, ok := strings.CutSuffix(base, sidecarExt); ok {
		if p := l.of(name); p != nil {
			p.sidecar = true
		}
	} else if name, ok := dataOf(base); ok {
		if p := l.of(name); p != nil {
			p.data = append(p.data, base)
		}
	} else if name, ok := strings.CutSuffix(base, dataExt); ok {
		if p := l.of(name); p != nil {
			p.link = true
		}
	}
}

// baseNames returns the names in a folder, in no order; none if there is no
// such folder.
func baseNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	bases, err := f.Readdirnames(-1)
	_ = f.Close()
	return bases, err
}
