package lake

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/table/intake"
)

// Scan starts reading.
func (l *Lake) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	return held(l, func(h *hold) (array.RecordReader, error) {
		t, err := l.table(ctx, h, scan.Relation)
		if err != nil {
			return nil, err
		}
		return l.read(ctx, h, t, scan)
	})
}

// Sample reads the first rows that the engine comes to; it sorts nothing.
func (l *Lake) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	return held(l, func(h *hold) (array.RecordReader, error) {
		t, err := l.table(ctx, h, rel)
		if err != nil {
			return nil, err
		}
		return l.read(ctx, h, t, source.FirstRows(rel, t.columns, n))
	})
}

// statement writes the SELECT of a scan over a table function that reads the
// table, or as much of it as the scan needs. item, if not empty, is another item
// behind those of the scan, and virtual the column that it needs.
func (t *table) statement(scan source.Scan, from, item, virtual string) (string, error) {
	columns, err := source.Selected(scan, t.columns)
	if err != nil {
		return "", err
	}
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = c.travels.Expr
	}
	also := []string{}
	if item != "" {
		items, also = append(items, item), append(also, virtual)
	}
	tested := append(predicate.Columns(scan.Where), predicate.Columns(scan.Relation.Rule)...)
	if each := duckdb.RowByRow(from, t.inParquet(tested), also); each != from {
		from, also = each, nil
	}
	return scan.SQL(source.Selecting{Dialect: predicate.DuckDB, Items: items, From: from, Barrier: embedded.Barrier, Virtual: also})
}

// read starts a scan's statement and returns its rows, which keep the hold.
func (l *Lake) read(ctx context.Context, h *hold, t *table, scan source.Scan) (array.RecordReader, error) {
	if _, err := source.Selected(scan, t.columns); err != nil {
		return nil, err
	}
	files := t.set.files
	if l.mirror != nil && t.set.format.Kind == format.Parquet {
		var err error
		if files, err = l.brought(ctx, h, t, scan); err != nil {
			return nil, err
		}
	}
	item, virtual := "", ""
	if scan.Traced {
		var nothing bool
		if files, nothing = t.unheld(files, scan); nothing {
			scan.Limit = new(int64(0))
		}
		item, virtual = l.fileItem(t)
	}
	first := firstRows(scan)
	if t.forced() {
		first = 0 // the same rows end with the same error
	}
	from, err := l.relation(ctx, h, t, files, first)
	if err != nil {
		return nil, err
	}
	sql, err := t.statement(scan, from, item, virtual)
	if err != nil {
		return nil, err
	}
	asked := asking{seesAll: scan.Relation.Whole(), computes: scan.Where != nil}
	rows, done, err := l.engines.Compute(ctx, scan, sql, h.files())
	if err != nil {
		return nil, l.failure(ctx, t, err, asked)
	}
	var filed *traced
	if scan.Traced {
		filed = trace(rows, t, files, scan)
		rows = filed
	}
	r := newReader(embedded.Warned(rows, t.caveatsOf(scan)), h, done, func(err error) error { return l.failure(ctx, t, err, asked) })
	r.version, r.filed = t.set.version, filed
	if l.mirror != nil {
		return r.begin()
	}
	return r, nil
}

// fewRows is how many rows of text are read without the rest of the file.
const fewRows = 10_000

// firstRows is how many of the first rows of the files are enough for a scan; 0: it
// may need all.
func firstRows(scan source.Scan) int64 {
	if scan.Limit == nil || *scan.Limit > fewRows || scan.Where != nil || scan.Relation.Rule != nil || len(scan.OrderBy) > 0 || scan.Traced {
		return 0
	}
	return max(*scan.Limit, 1)
}

// forced reports whether cells lack the types that the instance gives.
func (t *table) forced() bool {
	return t.set.reading != nil && len(t.set.reading.Types) > 0 &&
		slices.ContainsFunc(t.profiles, func(p *intake.Profile) bool { return p.Problems.Misfit > 0 })
}

// caveatsOf returns those about the rows of a scan.
func (t *table) caveatsOf(scan source.Scan) (all []api.Caveat) {
	all = api.CaveatsAbout(scan.Columns(), scan.Relation.Told(t.caveats))
	for _, name := range scan.Select {
		c, _ := t.column(name)
		if c.travels.Warning != "" {
			all = append(all, api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{c.Name}}, Text: c.travels.Warning})
		}
		if c.cut {
			all = append(all, duckdb.NanosCut(c.Name))
		}
	}
	return all
}
