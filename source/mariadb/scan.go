package mariadb

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barrier ends a subquery that returns only rows visible to the caller. The engine
// does not merge a subquery that has a LIMIT into the outer query. So the caller's
// expressions are not evaluated on hidden rows, where an error would reveal what
// is in them.
const barrier = " LIMIT 18446744073709551615"

// plan is a scan written as a statement.
type plan struct {
	columns []column
	sql     string
}

// plan writes the statement of a scan. The names in it have been checked against
// the columns that the caller sees; hint is for the engine.
func (r *relation) plan(scan source.Scan, hint string) (*plan, error) {
	columns, err := source.Selected(scan, r.columns)
	if err != nil {
		return nil, err
	}
	p := &plan{columns: columns}
	var items []string
	for _, c := range columns {
		items = append(items, quote(c.Name))
	}
	p.sql, err = scan.SQL(source.Selecting{Dialect: predicate.MySQL, Items: items, From: r.from(scan.Reads(), hint), Barrier: barrier})
	return p, err
}

// Scan implements source.Source.
func (m *MariaDB) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	r, err := m.describe(ctx, scan.Relation.Name)
	if err != nil {
		return nil, err
	}
	hint, err := m.unused(ctx, r, scan.Relation)
	if err != nil {
		return nil, err
	}
	p, err := r.plan(scan, hint)
	if err != nil {
		return nil, err
	}
	seesAll := scan.Relation.Whole()
	s, err := m.run(ctx, p.sql)
	if err != nil {
		return nil, failure(ctx, err, seesAll)
	}
	return newReader(ctx, s, p.columns, seesAll), nil
}

// Sample reads the first rows that the engine finds.
func (m *MariaDB) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := m.describe(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	return m.Scan(ctx, source.FirstRows(rel, r.columns, n))
}
