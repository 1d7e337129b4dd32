package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
)

// Add moves a parquet file, on the same file system, into the store and returns
// its record and those of the results that had to go for it. A file that alone
// is over the limit is refused with CodeDiskFull; it stays where it is.
func (s *Store) Add(file string, m Meta) (added Meta, evicted []Meta, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return Meta{}, nil, atomicfile.Explain("keep the result", err)
	}
	if m.Bytes = info.Size(); m.Bytes > s.maxBytes {
		return Meta{}, nil, &api.Error{Code: api.CodeDiskFull, Kind: "result_too_large", Message: fmt.Sprintf("the result has %d bytes; at most %d are kept", m.Bytes, s.maxBytes),
			Hint: "Select less, or write it to a file.", Next: []api.Step{api.Set(api.OptionOut, "write it to a file")}}
	}
	unlock, err := s.lock()
	if err != nil {
		return Meta{}, nil, err
	}
	defer unlock()
	if m, err = s.install(file, m); err != nil {
		return Meta{}, nil, atomicfile.Explain("keep the result", err)
	}
	evicted, err = s.evict(m)
	return m, evicted, err
}

// install gives the file its number. The record comes last.
func (s *Store) install(file string, m Meta) (Meta, error) {
	n := s.next()
	m.Format, m.Name, m.CreatedAt = format, "@r"+strconv.Itoa(n), s.now().UTC()
	// The number is gone from here on, whatever happens.
	if err := atomicfile.WriteFile(s.path(nextFile), []byte(strconv.Itoa(n+1)+"\n"), filePerm); err != nil {
		return m, err
	}
	if err := atomicfile.SyncFile(file, filePerm); err != nil {
		return m, err
	}
	if err := os.Rename(file, s.dataPath(m.Name)); err != nil {
		return m, err
	}
	record, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	return m, atomicfile.WriteFile(s.recordPath(m.Name), append(record, '\n'), filePerm)
}

// next returns the number of the next result: behind all that are here, even if
// the file that says so was lost.
func (s *Store) next() int {
	n := 1
	if text, err := os.ReadFile(s.path(nextFile)); err == nil {
		if said, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && said > 0 && said < 1e9 {
			n = said
		}
	}
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		stem, _, _ := strings.Cut(e.Name(), ".")
		if k, ok := number("@" + stem); ok {
			n = max(n, k+1)
		}
	}
	return n
}

// evict removes the oldest results until what is left keeps the limits, and
// files without a record, which a killed process has left. The newest stays.
func (s *Store) evict(newest Meta) ([]Meta, error) {
	all := s.List()
	s.sweep(all)
	count, bytes := len(all), int64(0)
	for _, m := range all {
		bytes += m.Bytes
	}
	var gone []Meta
	for _, m := range all {
		if count <= s.maxResults && bytes <= s.maxBytes || m.Name == newest.Name {
			break
		}
		if err := s.remove(m.Name); err != nil {
			return gone, err
		}
		gone, count, bytes = append(gone, m), count-1, bytes-m.Bytes
	}
	return gone, nil
}

func (s *Store) sweep(all []Meta) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		stem, isData := strings.CutSuffix(e.Name(), dataExt)
		if _, ok := number("@" + stem); !ok || !isData {
			continue
		}
		if !slices.ContainsFunc(all, func(m Meta) bool { return m.Name == "@"+stem }) {
			_ = os.Remove(s.path(e.Name())) // at worst it stays until the next time
		}
	}
}

// Drop removes results: all that are named, or, if one is not there, none.
func (s *Store) Drop(names []string) error {
	if len(names) == 0 {
		return nil
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for _, name := range names {
		if _, err := s.Get(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := s.remove(name); err != nil {
			return err
		}
	}
	return nil
}

// remove removes a result. The record goes first. The store is locked.
func (s *Store) remove(name string) error {
	for _, path := range []string{s.recordPath(name), s.dataPath(name)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return atomicfile.Explain(fmt.Sprintf("remove result '%s'", name), err)
		}
	}
	return nil
}

// lock makes the caller the only one who changes the store.
func (s *Store) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, dirPerm); err != nil {
		return nil, atomicfile.Explain("keep results", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l := flock.New(s.path(lockFile), flock.SetPermissions(filePerm))
	if ok, err := l.TryLockContext(ctx, 5*time.Millisecond); !ok {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, &api.Error{Code: api.CodeSnapshotBusy, Kind: "results_busy", Message: "another process holds the lock of the kept results", Hint: "Try again."}
		}
		return nil, atomicfile.Explain("keep results", err)
	}
	return func() { _ = l.Unlock() }, nil
}
