package lake

import (
	"context"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/cachedb"
	"github.com/agnes-data/da/table/intake"
)

const (
	// knownFormat changes with the records below.
	knownFormat = "6"
	// maxKnownChunks limits the footers of one table that are kept. A chunk takes
	// about 200 bytes.
	maxKnownChunks = 10_000
	// settledAfter is how long a file must have been unchanged: the times of some
	// file systems have steps of two seconds, so a change could leave no trace.
	settledAfter = 3 * time.Second
)

// describeKnown is describe, but for files that are known from an earlier process.
// Then the footer of parquet files is known, too.
func (l *Lake) describeKnown(ctx context.Context, key string, set *fileSet) (*table, error) {
	var known keptTable
	if l.kept.Load(&known, l.nameOf(key)...) {
		if t, f, ok := known.over(set); ok {
			if f != nil {
				f.keep.Do(func() {}) // it is kept
				l.footers.Put(key, f, 1+t.chunks())
			}
			return t, nil
		}
	}
	t, f, err := l.describe(ctx, set)
	switch {
	case err != nil:
		return nil, err
	case f != nil:
		l.footers.Put(key, f, 1+t.chunks())
	case set.format.Kind != format.Parquet:
		l.save(key, t, nil)
	}
	return t, nil
}

// know keeps a table and its footer, which were read to estimate a scan.
func (l *Lake) know(key string, t *table, f *footer) {
	f.keep.Do(func() {
		if t.chunks() <= maxKnownChunks {
			l.save(key, t, f)
		}
	})
}

// save keeps a table, unless a file has changed so recently that its next change
// may not change the version. It does not wait for the disk.
func (l *Lake) save(key string, t *table, f *footer) {
	latest := l.now().Add(-settledAfter).UnixNano()
	for _, f := range t.set.files {
		if f.etag == "" && max(f.mtime, f.changed) > latest {
			return
		}
	}
	l.keeping.Go(func() {
		_ = l.kept.Save(record(t, f), l.nameOf(key)...) // or the next process reads the files again
	})
}

func (l *Lake) nameOf(key string) []string {
	return []string{knownFormat, strconv.Itoa(cachedb.Version), duckdb.Version, l.dir, key}
}

// keptTable is the record of a table, and of its footer if its files are parquet.
// Files are numbered as in their fileSet.
type keptTable struct {
	Columns []keptColumn
	Rows    *int64
	Layouts []keptLayout
	Groups  []keptGroup
	// Those of files of text or JSON; see table.
	Texts    []keptText
	Profiles []*intake.Profile
	Stored   []duckdb.Column
	Caveats  []api.Caveat
}

type keptColumn struct {
	Column   api.Column
	Hive     int
	Replaces bool
	Bytes    int64
	Travels  duckdb.Projected
	Width    float64
	Cut      bool
}

type keptText struct {
	Rows    int64
	Reading string
}

type keptLayout struct {
	Files    []int
	Leaves   []keptLeaf
	Groups   int
	Required map[string]bool
	Cut      map[string]bool
	Columns  []api.Column
}

type keptLeaf struct {
	Column string
	Plain  bool
}

type keptGroup struct {
	File   int
	Rows   int64
	Chunks map[string]keptChunk
}

// keptChunk has bounds as bytes, since JSON changes texts that are not UTF-8.
type keptChunk struct {
	Compressed, Uncompressed, Nulls int64
	Plain, Bounded, Dict            bool
	Min, Max                        []byte
}

// record is what is kept of a table and its footer, which is nil if there is none.
func record(t *table, f *footer) keptTable {
	r := keptTable{Rows: t.rows, Profiles: t.profiles, Stored: t.stored, Caveats: t.caveats}
	for _, c := range t.columns {
		r.Columns = append(r.Columns, keptColumn{c.Column, c.hive, c.replaces, c.bytes, c.travels, c.width, c.cut})
	}
	for _, x := range t.texts {
		r.Texts = append(r.Texts, keptText{x.rows, x.reading})
	}
	if f == nil {
		return r
	}
	for _, y := range t.layouts {
		k := keptLayout{Groups: y.groups, Required: y.required, Cut: y.cut, Columns: y.columns}
		for _, f := range y.files {
			k.Files = append(k.Files, f.index)
		}
		for _, l := range y.leaves {
			k.Leaves = append(k.Leaves, keptLeaf{l.column, l.plain})
		}
		r.Layouts = append(r.Layouts, k)
	}
	for i, g := range f.groups {
		r.Groups = append(r.Groups, keptGroup{g.file.index, g.rows, map[string]keptChunk{}})
		for name, c := range g.chunks {
			r.Groups[i].Chunks[name] = keptChunk{c.compressed, c.uncompressed, c.nulls, c.plain, c.bounded, c.dict, []byte(c.min), []byte(c.max)}
		}
	}
	return r
}

// over returns what was kept, over the files; false if it does not fit them.
func (r keptTable) over(set *fileSet) (*table, *footer, bool) {
	t := &table{set: set, rows: r.Rows, profiles: r.Profiles, stored: r.Stored, caveats: r.Caveats}
	for _, c := range r.Columns {
		if c.Hive >= len(set.keys) {
			return nil, nil, false
		}
		t.columns = append(t.columns, column{Column: c.Column, hive: c.Hive, replaces: c.Replaces, bytes: c.Bytes, travels: c.Travels,
			width: c.Width, cut: c.Cut})
	}
	for _, x := range r.Texts {
		t.texts = append(t.texts, textFile{x.Rows, x.Reading})
	}
	t.readBy()
	if set.format.Kind != format.Parquet {
		return t, nil, len(t.columns) > 0 && len(t.texts) == len(set.files) &&
			(set.format.Kind == format.JSON || len(t.profiles) == len(set.files))
	}
	for _, k := range r.Layouts {
		y := layout{groups: k.Groups, required: k.Required, cut: k.Cut, columns: k.Columns}
		for _, i := range k.Files {
			if i < 0 || i >= len(set.files) {
				return nil, nil, false
			}
			y.files = append(y.files, set.files[i])
		}
		for _, l := range k.Leaves {
			y.leaves = append(y.leaves, leaf{l.Column, l.Plain})
		}
		t.layouts = append(t.layouts, y)
	}
	f := &footer{groups: make([]rowGroup, len(r.Groups))}
	for i, g := range r.Groups {
		if g.File < 0 || g.File >= len(set.files) {
			return nil, nil, false
		}
		f.groups[i] = rowGroup{file: &set.files[g.File], rows: g.Rows, chunks: map[string]*chunk{}}
		for name, c := range g.Chunks {
			f.groups[i].chunks[name] = &chunk{c.Compressed, c.Uncompressed, c.Plain, c.Nulls, string(c.Min), string(c.Max), c.Bounded, c.Dict}
		}
	}
	return t, f, len(t.columns) > 0 && len(t.layouts) > 0
}
