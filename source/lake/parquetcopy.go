package lake

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/source/embedded"
)

// parquetCopy holds the rows of a table of delimited text or JSON, or of some of its files,
// as parquet, for the engine. It is made of one version of the files, in their order, when rows are asked
// for; the columns of partitions are in it.
type parquetCopy struct {
	among *parquetCopies
	path  string
	size  int64
	refs  int   // requests that read it
	used  int64 // when it was last used, as a counter
}

// parquetCopies are the parquet copies of a lake. Together they stay within the limit,
// except for those being read.
type parquetCopies struct {
	dir   string
	limit int64

	mu       sync.Mutex
	byKey    map[string]*parquetCopy
	count    int64
	building flights[*parquetCopy]
}

// copyOf returns the parquet copy of some files of a table, making it if need be. It stays
// until the request has ended. Of a table whose first rows are enough, if first is
// not 0, it may have no others.
func (l *Lake) copyOf(ctx context.Context, h *hold, t *table, files []file, first int64) (*parquetCopy, error) {
	k := key(t.name, t.set)
	if len(files) < len(t.set.files) {
		for _, f := range files {
			k += fmt.Sprintf("\x00%d", f.index)
		}
	}
	whole := k
	if first > 0 {
		k += fmt.Sprintf("\x00first %d", first)
	}
	for {
		if tw := cmp.Or(l.copies.take(whole), l.copies.take(k)); tw != nil {
			h.copies = append(h.copies, tw)
			return tw, nil
		}
		_, err := l.copies.building.do(ctx, k, func(ctx context.Context) (*parquetCopy, error) {
			tw, err := l.makeTwin(ctx, t, files, first)
			if err != nil {
				return nil, l.failure(ctx, t, err, asking{})
			}
			l.copies.put(k, tw)
			return tw, nil
		})
		if err != nil {
			return nil, err
		}
	}
}

// makeTwin reads files of a table, and writes their rows, or the first of them.
func (l *Lake) makeTwin(ctx context.Context, t *table, files []file, first int64) (tw *parquetCopy, err error) {
	s, err := l.engines.Session(ctx, true) // rows must keep their order
	if err != nil {
		return nil, err
	}
	defer func() { s.Done(err == nil) }()
	tw = &parquetCopy{among: l.copies, path: l.copies.name()}
	cols := make([]duckdb.Column, len(t.columns))
	for i, c := range t.columns {
		cols[i] = duckdb.Column{Name: c.Name, Type: c.Type}
	}
	to := duckdb.ToParquet(tw.path, cols)
	if t.set.format.Kind == format.JSON {
		err = l.copyJSON(ctx, s, t, files, first, to)
	} else {
		err = l.copyText(ctx, s, t, files, first, to)
	}
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(tw.path); err == nil {
			tw.size = info.Size()
			return tw, nil
		}
	}
	_ = os.Remove(tw.path) // at the latest, it is removed with the lake's folder
	return nil, err
}

// copyText writes the rows of delimited text as parquet.
func (l *Lake) copyText(ctx context.Context, s *embedded.Session, t *table, files []file, first int64, to string) error {
	rows := newTextRows(ctx, l, t, files, first)
	defer rows.Release()
	items := make([]string, len(t.columns))
	stored := 0
	for i, c := range t.columns {
		field := fmt.Sprintf("c%d", stored)
		if c.hive >= 0 {
			field = fmt.Sprintf("h%d::%s", c.hive, c.Type)
		}
		if c.hive < 0 || c.replaces {
			stored++
		}
		items[i] = field + " AS " + duckdb.Quote(c.Name)
	}
	return s.Import(ctx, "incoming", rows, "COPY (SELECT "+strings.Join(items, ", ")+" FROM incoming)"+to)
}

// name is a path that no copy had.
func (ts *parquetCopies) name() string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.count++
	return filepath.Join(ts.dir, fmt.Sprintf("%d.parquet", ts.count))
}

// take returns a parquet copy, to be returned by give; nil if there is no such copy.
func (ts *parquetCopies) take(key string) *parquetCopy {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	tw := ts.byKey[key]
	if tw != nil {
		ts.count++
		tw.refs, tw.used = tw.refs+1, ts.count
	}
	return tw
}

// give gives a parquet copy back.
func (tw *parquetCopy) give() {
	ts := tw.among
	ts.mu.Lock()
	defer ts.mu.Unlock()
	tw.refs--
	ts.tidy("")
}

// put adds a parquet copy.
func (ts *parquetCopies) put(key string, tw *parquetCopy) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.count++
	tw.used = ts.count
	ts.byKey[key] = tw
	ts.tidy(key)
}

// tidy removes unused copies, least recently used first, until the others fit the
// limit. It always keeps one.
func (ts *parquetCopies) tidy(kept string) {
	for {
		total, oldest := int64(0), ""
		for k, tw := range ts.byKey {
			total += tw.size
			if tw.refs == 0 && k != kept && (oldest == "" || tw.used < ts.byKey[oldest].used) {
				oldest = k
			}
		}
		if total <= ts.limit || oldest == "" {
			return
		}
		_ = os.Remove(ts.byKey[oldest].path) // at the latest, it is removed with the lake's folder
		delete(ts.byKey, oldest)
	}
}
