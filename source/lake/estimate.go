package lake

import (
	"context"
	"math"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/source"
)

// Estimate returns what a scan would read, from file sizes, partition names and
// the footers of parquet files. It reads no data.
func (l *Lake) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	return held(l, func(h *hold) (*api.Estimate, error) { return l.estimate(ctx, h, scan) })
}

func (l *Lake) estimate(ctx context.Context, h *hold, scan source.Scan) (*api.Estimate, error) {
	t, err := l.table(ctx, h, scan.Relation)
	if err != nil {
		return nil, err
	}
	// The statement is not run; writing it checks all names.
	if _, err := t.statement(scan, "", "", ""); err != nil {
		return nil, err
	}
	e := &estimate{table: t, scan: scan, where: predicate.And(scan.Relation.Rule, scan.Where)}
	if e.constants, err = l.engines.Constants(ctx, e.where, scan.Env); err != nil {
		return nil, l.failure(ctx, nil, err, asking{computes: true})
	}
	if t.set.format.Kind == format.Parquet {
		f, err := l.footer(ctx, scan.Relation.Name, t, e.columns())
		if err != nil {
			return nil, err
		}
		e.parquet(f)
	} else {
		e.text()
	}
	return e.answer(), nil
}

// estimate adds up what a scan would read.
type estimate struct {
	table     *table
	scan      source.Scan
	where     predicate.Expr // including the row rule
	constants map[predicate.Expr]*interval.Point

	scanBytes int64
	rows      interval.Count // that the scan finds
	counted   bool           // whether anything bounds them
	bytes     float64        // of Arrow buffers, if rows are known exactly
	bytesOK   bool
}

// columns lists the columns that the scan reads.
func (e *estimate) columns() []string {
	names := slices.Clone(e.scan.Select)
	names = append(names, predicate.Columns(e.where)...)
	for _, o := range e.scan.OrderBy {
		names = append(names, o.Column)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// parquet adds up the row groups.
func (e *estimate) parquet(f *footer) {
	e.counted, e.bytesOK = true, true
	read := e.columns()
	for i := range f.groups {
		g := &f.groups[i]
		if e.enough() {
			return
		}
		c := e.chance(g.file, g)
		if !c.MayHold() || g.rows == 0 || e.table.reads(e.scan, g.file) {
			continue
		}
		for _, name := range read {
			if k := g.chunks[name]; k != nil && e.stored(name) {
				e.scanBytes += k.compressed
			}
		}
		e.rows.Low, e.rows.High = e.rows.Low+c.True.Low, e.rows.High+c.True.High
		for _, name := range e.scan.Select {
			width, known := e.width(name, g)
			e.bytes += width * float64(c.True.Low)
			e.bytesOK = e.bytesOK && known
		}
	}
}

// enough reports whether the scan stops here: it wants any rows up to a limit,
// and has that many.
func (e *estimate) enough() bool {
	return e.scan.Limit != nil && e.where == nil && len(e.scan.OrderBy) == 0 && e.rows.Low >= *e.scan.Limit
}

// text adds up files for which only the sizes and the numbers of rows are known.
func (e *estimate) text() {
	files := slices.DeleteFunc(slices.Clone(e.table.set.files), func(f file) bool { return e.table.reads(e.scan, &f) })
	if e.where == nil && e.table.rows != nil {
		e.counted, e.rows = true, interval.Exactly(e.table.rowsIn(files))
		for _, f := range files {
			e.scanBytes += f.size
		}
		return
	}
	e.counted, e.bytesOK = true, true
	for i := range files {
		f := &files[i]
		if c := e.chance(f, nil); c.MayHold() && f.size > 0 {
			e.scanBytes += f.size
			n := e.table.rowsIn(files[i : i+1]) // for each, the predicate holds alike or is unknown
			e.rows.Low, e.rows.High = e.rows.Low+c.True.Low*n, e.rows.High+c.True.High*n
			e.bytesOK = false
		}
	}
}

// stored reports whether a column is in the files, not in their paths.
func (e *estimate) stored(name string) bool {
	c, ok := e.table.column(name)
	return ok && c.hive < 0
}

// chance is the probability that the predicate matches rows of a row group or, if
// g is nil, of the whole file.
func (e *estimate) chance(f *file, g *rowGroup) interval.Chance {
	rows := int64(1)
	if g != nil {
		rows = g.rows
	}
	if e.where == nil {
		return interval.Always(rows, true)
	}
	known := interval.Facts{Rows: rows, Constants: e.constants, Bounds: func(name string, kind predicate.Kind) (interval.Bounds, bool) {
		col, ok := e.table.column(name)
		switch {
		case !ok:
			return interval.Bounds{}, false
		case col.hive >= 0:
			return partitionBounds(rows, f.hive[col.hive], kind), true
		case g == nil || g.chunks[name] == nil || !g.chunks[name].plain:
			return interval.Bounds{}, false
		}
		return chunkBounds(rows, col.Nullable, g.chunks[name], kind), true
	}}
	return known.Chance(e.where)
}

// width is the size of a value of the column in Arrow buffers, in bytes.
func (e *estimate) width(name string, g *rowGroup) (float64, bool) {
	col, ok := e.table.column(name)
	if !ok {
		return 0, false
	}
	if col.width > 0 {
		return col.width, true
	}
	const offset = 4
	if col.hive >= 0 {
		text, _ := hiveValue(g.file.hive[col.hive])
		return offset + float64(len(text)), true
	}
	c := g.chunks[name]
	switch {
	case c == nil || g.rows == 0:
		return 0, false
	case c.plain && c.dict && c.bounded:
		// With a dictionary, lengths are unknown, but two of the values are
		// known: the minimum and the maximum.
		return offset + float64(len(c.min)+len(c.max))/2, true
	case c.plain && c.dict:
		return 0, false
	}
	// Plain encoding stores a length before each text, which is as large as an
	// Arrow offset.
	return float64(c.uncompressed) / float64(g.rows), true
}

// answer applies the limit. It returns a number of rows only if both bounds
// agree: the minimum and maximum of a row group do not say how many of its rows
// match.
func (e *estimate) answer() *api.Estimate {
	nothing, free := int64(0), 0.0
	out := &api.Estimate{ScanBytes: &e.scanBytes, BilledBytes: &nothing, CostUSD: &free}
	if e.scan.Relation.Rule == nil {
		out.TableRows = e.table.rows
	}
	limit := e.scan.Limit
	if !e.counted {
		if limit == nil {
			return out
		}
		e.counted, e.rows = true, interval.Count{High: math.MaxInt64}
	}
	if limit != nil {
		if e.rows.Low > *limit {
			e.bytes *= float64(*limit) / float64(e.rows.Low)
		}
		e.rows = interval.Count{Low: min(e.rows.Low, *limit), High: min(e.rows.High, *limit)}
	}
	out.RowsLow, out.RowsHigh, out.RowsUpperBound = &e.rows.Low, &e.rows.High, &e.rows.High
	if e.rows.Low == e.rows.High {
		out.ResultRows = &e.rows.Low
		if e.bytesOK {
			bytes := int64(math.Round(e.bytes))
			out.ResultBytes = &bytes
		}
	}
	return out
}
