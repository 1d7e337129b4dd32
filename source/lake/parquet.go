package lake

import (
	"context"
	"slices"

	"github.com/agnes-data/da/api"
)

// describeParquet reads footers only.
func (l *Lake) describeParquet(ctx context.Context, s *session, set *fileSet) (*table, error) {
	layouts, err := l.layouts(ctx, s, set)
	if err == nil {
		err = l.readLayouts(ctx, s, set, layouts)
	}
	if err != nil {
		return nil, err
	}
	t, err := ofLayouts(set, layouts)
	if err != nil {
		return nil, err
	}
	return t, l.readTotals(ctx, s, t)
}

// ofLayouts makes the table of some layouts, without its totals.
func ofLayouts(set *fileSet, layouts []layout) (t *table, err error) {
	for i := range layouts {
		if err := alike(&layouts[0], &layouts[i]); err != nil {
			return nil, err
		}
	}
	t = &table{set: set, layouts: layouts}
	// All layouts have the same columns; the first file's order is the table's.
	cols := slices.Clone(layouts[0].columns)
	for i := range cols {
		cols[i].Nullable = slices.ContainsFunc(layouts, func(y layout) bool { return !y.required[cols[i].Name] })
	}
	if t.columns, err = withHive(set, cols); err != nil {
		return nil, err
	}
	t.readBy()
	return t, nil
}

// readBy sets the table function that reads parquet files.
func (t *table) readBy() {
	cols := make([]api.Column, len(t.columns))
	for i, c := range t.columns {
		cols[i] = c.Column
	}
	t.head, t.tail = "read_parquet(", hiveOptions(t.set, cols)+")"
}

// readTotals counts rows and stored bytes.
func (l *Lake) readTotals(ctx context.Context, s *session, t *table) error {
	rows := int64(0)
	for i := range t.layouts {
		y := &t.layouts[i]
		err := l.portions(t.set, y.files, func(k *linked, files []file) error {
			n, err := l.readSizes(ctx, s, t, y, k.list(files))
			rows += n
			return err
		})
		if err != nil {
			return err
		}
	}
	t.rows = &rows
	return nil
}

// readSizes counts the rows of some files of a layout, and adds up their row
// groups and stored sizes.
func (l *Lake) readSizes(ctx context.Context, s *session, t *table, y *layout, files string) (rows int64, err error) {
	err = s.rows(ctx, `SELECT sum(num_rows)::BIGINT, sum(num_row_groups)::BIGINT FROM parquet_file_metadata(`+files+`)`, func(v []any) error {
		rows, _ = v[0].(int64)
		groups, _ := v[1].(int64)
		y.groups += int(groups)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return rows, s.rows(ctx, `SELECT column_id, sum(total_compressed_size)::BIGINT FROM parquet_metadata(`+files+`) GROUP BY 1`, func(v []any) error {
		id, _ := v[0].(int64)
		n, _ := v[1].(int64)
		return t.stores(y, id, n)
	})
}
