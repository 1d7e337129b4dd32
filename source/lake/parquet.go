package lake

import (
	"context"
	"errors"
	"slices"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/source/embedded"
)

// describeParquet reads footers only. It returns the chunks of all columns with the
// table, or nil if there are too many to be remembered.
func (l *Lake) describeParquet(ctx context.Context, s *embedded.Session, set *fileSet) (*table, *footer, error) {
	layouts, err := l.layouts(ctx, s, set)
	if err == nil {
		err = l.readLayouts(ctx, s, set, layouts)
	}
	if err != nil {
		return nil, nil, err
	}
	t, err := ofLayouts(set, layouts)
	if err != nil {
		return nil, nil, err
	}
	f, err := l.readChunks(ctx, s, t, nil, l.footers.MaxWeight()/footerShare)
	if errors.Is(err, errManyChunks) {
		return t, nil, l.totalsTogether(ctx, s, t.set, []*table{t})
	}
	if err != nil {
		return nil, nil, err
	}
	t.total(f)
	return t, f, nil
}

// ofLayouts makes the table of some layouts, without its totals.
func ofLayouts(set *fileSet, layouts []layout) (t *table, err error) {
	for i := range layouts {
		if err := alike(&layouts[0], &layouts[i]); err != nil {
			return nil, err
		}
	}
	t = &table{set: set, layouts: layouts, caveats: layouts[0].renamed}
	// All layouts have the same columns; the first file's order is the table's.
	cols := slices.Clone(layouts[0].columns)
	for i := range cols {
		cols[i].Nullable = slices.ContainsFunc(layouts, func(y layout) bool { return !y.required[cols[i].Name] })
	}
	if t.columns, err = withHive(set, cols); err != nil {
		return nil, err
	}
	for i := range t.columns {
		t.columns[i].cut = slices.ContainsFunc(layouts, func(y layout) bool { return y.cut[t.columns[i].Name] })
	}
	t.readBy()
	return t, nil
}

// readBy sets the table function that reads parquet files.
func (t *table) readBy() {
	t.head, t.tail = "read_parquet(", ", hive_partitioning = false)" // a parquet copy has them as columns
	if t.set.format.Kind == format.Parquet {
		t.tail = hiveOptions(t.set) + ")"
	}
}

// total counts rows, row groups and stored bytes in a complete footer.
func (t *table) total(f *footer) {
	t.rows = new(int64)
	byFile := map[string]*layout{}
	for i := range t.layouts {
		for _, f := range t.layouts[i].files {
			byFile[f.rel] = &t.layouts[i]
		}
	}
	for _, g := range f.groups {
		*t.rows += g.rows
		byFile[g.file.rel].groups++
		for name, c := range g.chunks {
			t.stores(name, c.compressed)
		}
	}
}

// stores adds to the stored bytes of a column.
func (t *table) stores(name string, bytes int64) {
	if c, ok := t.column(name); ok && c.hive < 0 {
		c.bytes += bytes
	}
}
