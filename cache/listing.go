package cache

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// Listing is a catalog of any size. Its tables are read one by one, as often as
// needed, from the file that holds them, so that they take no memory.
type Listing struct {
	ServerTime time.Time
	// Oldest is when the source of a table was first asked, nil for just now.
	Oldest  *time.Time
	RowRule bool // one of the tables has a row rule
	Count   int

	file *os.File
	list []api.Table // without a file
}

// NewListing returns a catalog that is in memory.
func NewListing(list *api.TableList) *Listing {
	l := &Listing{ServerTime: list.ServerTime, list: list.Tables}
	for i := range list.Tables {
		l.note(&list.Tables[i])
	}
	return l
}

func (l *Listing) note(t *api.Table) {
	l.Count++
	l.RowRule = l.RowRule || t.RowRule
	if t.AsOf != nil && (l.Oldest == nil || t.AsOf.Before(*l.Oldest)) {
		l.Oldest = t.AsOf
	}
}

var errStop = errors.New("the loop has ended")

// All returns the tables, to one loop at a time.
func (l *Listing) All() iter.Seq2[*api.Table, error] {
	return func(yield func(*api.Table, error) bool) {
		each := func(t *api.Table) error {
			if !yield(t, nil) {
				return errStop
			}
			return nil
		}
		if l.file == nil {
			for i := range l.list {
				if each(&l.list[i]) != nil {
					return
				}
			}
			return
		}
		if _, err := readCatalog(l.file, each); err != nil && !errors.Is(err, errStop) {
			yield(nil, fmt.Errorf("read the catalog that is kept: %w", err))
		}
	}
}

// Whole returns all tables at once, and closes the listing.
func (l *Listing) Whole() (*api.TableList, error) {
	defer l.Close()
	list := &api.TableList{Tables: make([]api.Table, 0, l.Count), ServerTime: l.ServerTime}
	for t, err := range l.All() {
		if err != nil {
			return nil, err
		}
		list.Tables = append(list.Tables, *t)
	}
	return list, nil
}

// Close lets go of the file.
func (l *Listing) Close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// readCatalog reads the file of a catalog, which has the form of all entries.
func readCatalog(f *os.File, each func(*api.Table) error) (e entry[time.Time], err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return e, err
	}
	dec := json.NewDecoder(bufio.NewReaderSize(f, 64<<10))
	listed := false
	err = api.Members(dec, func(name string) (err error) {
		switch name {
		case "format":
			return dec.Decode(&e.Format)
		case "fetched_at":
			return dec.Decode(&e.At)
		case "value":
			e.Value, listed, err = api.ReadTables(dec, each)
			return err
		}
		return dec.Decode(new(json.RawMessage))
	})
	if err == nil && (!listed || e.Format != format) {
		err = errors.New("not a catalog")
	}
	return e, err
}

// openCatalog opens the kept catalog. Incomplete or foreign files count as missing.
func (a answers) openCatalog() (l *Listing, at time.Time, ok bool) {
	f, err := store.OpenRecord(a.files(catalogKey.kind).RecordPath(catalogKey.name), maxFile)
	if err != nil {
		return nil, at, false
	}
	l = &Listing{file: f}
	e, err := readCatalog(f, func(t *api.Table) error {
		l.note(t)
		return nil
	})
	if err != nil {
		l.Close()
		return nil, at, false
	}
	l.ServerTime = e.Value
	return l, e.At, true
}

// lister is a catalog whose tables come one by one. begin is called before the
// first, and again if they are asked for again.
type lister interface {
	EachTable(ctx context.Context, begin func() error, each func(*api.Table) error) (serverTime time.Time, err error)
}

// ask gets the tables from the server and keeps them. If the disk takes none, they
// are in memory.
func (c *Catalog) ask(ctx context.Context, now time.Time) (*Listing, error) {
	if from, ok := c.inner.(lister); ok {
		l, kept, err := c.answers.keepCatalog(now, func(begin func() error, each func(*api.Table) error) (time.Time, error) {
			return from.EachTable(ctx, begin, each)
		})
		if kept == nil {
			return l, err
		}
	}
	list, err := c.inner.Tables(ctx)
	if err != nil {
		return nil, err
	}
	_ = save(c.answers, catalogKey, entry[api.TableList]{At: now, Value: *list})
	return NewListing(list), nil
}

// keepCatalog writes what a server lists to a file, completely or not at all. kept
// is why the disk did not take it.
func (a answers) keepCatalog(
	now time.Time, list func(begin func() error, each func(*api.Table) error) (time.Time, error),
) (l *Listing, kept, err error) {
	files := a.files(catalogKey.kind)
	if kept = files.Make(); kept != nil {
		return nil, kept, nil
	}
	files.Sweep(nil) // what a killed process was writing
	temp, kept := files.OwnTemp()
	if kept != nil {
		return nil, kept, nil
	}
	defer files.ReleaseTemp(temp)
	path := files.TempPath(temp.ID)
	f, kept := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if kept != nil {
		return nil, kept, nil
	}
	defer func() {
		if l == nil {
			_ = f.Close()
		}
	}()
	w := bufio.NewWriterSize(f, 64<<10)
	made := &Listing{file: f}
	put := func(text []byte, err error) error {
		if err == nil {
			_, err = w.Write(text)
		}
		kept = errors.Join(kept, err)
		return kept
	}
	serverTime, err := list(func() error {
		made = &Listing{file: f}
		w.Reset(f)
		_, err := f.Seek(0, io.SeekStart)
		if err = errors.Join(err, f.Truncate(0)); err != nil {
			return put(nil, err)
		}
		at, err := json.Marshal(now)
		return put(fmt.Appendf(nil, `{"format":%d,"fetched_at":%s,"value":{"tables":[`, format, at), err)
	}, func(t *api.Table) error {
		if made.Count > 0 && put([]byte{','}, nil) != nil {
			return kept
		}
		made.note(t)
		return put(json.Marshal(t))
	})
	if err != nil || kept != nil {
		return nil, kept, err
	}
	made.ServerTime = serverTime
	at, err := json.Marshal(serverTime)
	if put(fmt.Appendf(nil, `],"server_time":%s}}`, at), err) != nil {
		return nil, kept, nil
	}
	if kept = w.Flush(); kept != nil {
		return nil, kept, nil
	}
	// Where it cannot be kept for others, it is read from the file all the same.
	if a.commitCatalog(files, path) == nil {
		a.sweep(now)
	}
	return made, nil, nil
}

func (a answers) commitCatalog(files *store.Store, temp string) error {
	if err := files.SyncData(temp); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock, err := files.Lock(ctx, store.Alone)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	files.Tidy(nil)
	return files.CommitRecord(catalogKey.name, temp)
}
