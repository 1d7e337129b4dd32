package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Add moves a parquet file from the same file system into the store. It returns
// the new record and the records of evicted results. A file that exceeds the
// limit on its own is rejected with CodeDiskFull and stays where it is.
func (s *Store) Add(file string, m Meta) (added Meta, evicted []Meta, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return Meta{}, nil, atomicfile.Explain("keep the result", err)
	}
	if m.Bytes = info.Size(); m.Bytes > s.maxBytes {
		return Meta{}, nil, &api.Error{Code: api.CodeDiskFull, Kind: api.KindResultTooLarge,
			Message: fmt.Sprintf("the result has %d bytes; at most %d are kept", m.Bytes, s.maxBytes),
			Hint:    "Select less, or write it to a file.", Next: []api.Step{api.Set(api.OptionOut, "write it to a file")}}
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

// install gives the file its number. The record is written last.
func (s *Store) install(file string, m Meta) (Meta, error) {
	n := s.next()
	m.Format, m.Name, m.CreatedAt = format, "@r"+strconv.Itoa(n), s.now().UTC()
	// From here on the number is used up, even if a later step fails.
	if err := atomicfile.WriteFile(s.files.Path(nextFile), []byte(strconv.Itoa(n+1)+"\n"), filePerm); err != nil {
		return m, err
	}
	record, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	if err := s.files.SyncData(file); err != nil {
		return m, err
	}
	base := stem(m.Name) + dataExt
	return m, s.files.Commit(store.Change{Name: stem(m.Name), Temp: file, Data: base, Record: append(record, '\n')})
}

// next returns the number of the next result: greater than all existing numbers,
// even if the file with the counter was lost.
func (s *Store) next() int {
	n := 1
	if text, err := os.ReadFile(s.files.Path(nextFile)); err == nil {
		if said, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && said > 0 && said < 1e9 {
			n = said
		}
	}
	bases, _ := store.BaseNames(s.Dir())
	for _, base := range bases {
		stem, _, _ := strings.Cut(base, ".")
		if k, ok := number("@" + stem); ok {
			n = max(n, k+1)
		}
	}
	return n
}

// evict removes the oldest results until the limits are met, and what killed
// processes left. It keeps the newest.
func (s *Store) evict(newest Meta) (gone []Meta, err error) {
	s.files.Tidy(func(stem string) (string, bool) { return stem + dataExt, true })
	// Unreadable results cannot be named by anybody. At worst one stays until the
	// next time.
	_ = s.files.RemoveUnless(func(stem string) bool { _, ok := s.load("@" + stem); return ok })
	all := s.List()
	items := make([]store.Item, len(all))
	for i, m := range all {
		items[i] = store.Item{Name: m.Name, Bytes: m.Bytes, Held: m.Name == newest.Name} // equal age: the first in the list are evicted first
	}
	_, err = store.Evict(items, store.Budget{Count: s.maxResults, Bytes: s.maxBytes}, func(x store.Item) (bool, error) {
		if err := s.remove(x.Name); err != nil {
			return false, err
		}
		i := slices.IndexFunc(all, func(m Meta) bool { return m.Name == x.Name })
		gone = append(gone, all[i])
		return true, nil
	})
	return gone, err
}

// Drop removes all named results, or no result at all if one of them does not
// exist.
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
	return s.remove(names...)
}

// remove removes results. The caller holds the store's lock.
func (s *Store) remove(names ...string) error {
	stems := make([]string, len(names))
	for i, name := range names {
		stems[i] = stem(name)
	}
	return atomicfile.Explain(fmt.Sprintf("remove result '%s'", strings.Join(names, "', '")), s.files.Remove(stems...))
}

// lock takes the store's exclusive lock.
func (s *Store) lock() (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := s.files.Lock(ctx, store.Alone)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &api.Error{Code: api.CodeSnapshotBusy, Kind: api.KindResultsBusy,
			Message: "another process holds the lock of the kept results", Hint: "Try again."}
	}
	if err != nil {
		return nil, atomicfile.Explain("keep results", err)
	}
	return l.Unlock, nil
}
