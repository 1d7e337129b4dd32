package bigquery

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

const (
	// leastParted is the smallest size of a table whose partitions are listed.
	// Listing is billed as billedLeast bytes.
	leastParted = 10 * billedLeast
	// maxParted limits the partitions of a traced scan, because each answer lists
	// all of them.
	maxParted = 2000
)

// listing is the ordered list of a table's partitions at one version.
type listing struct {
	version string
	all     []partition // nil: they do not divide the table's rows
}

// listed returns the partitions that were last read, if the table has not changed
// since then.
func (b *BigQuery) listed(t *table) *listing {
	r := b.tables.remember(t.name.key())
	b.tables.mu.Lock()
	defer b.tables.mu.Unlock()
	if r.listed != nil && r.listed.version == t.version {
		return r.listed
	}
	return nil
}

// partitions returns the partitions of a table. It runs a job, unless the table is
// unchanged since the last one.
func (b *BigQuery) partitions(ctx context.Context, t *table, account source.Account) (*listing, error) {
	if l := b.listed(t); l != nil {
		return l, nil
	}
	named := &predicate.Compare{Op: predicate.Eq, Left: &predicate.Column{Name: "table_name", T: predicate.Type{Kind: predicate.KindString}},
		Right: &predicate.Literal{Value: t.name.table, T: predicate.Type{Kind: predicate.KindString}}}
	where, err := print.SQL(predicate.GoogleSQL, named, predicate.Env{})
	if err != nil {
		return nil, err
	}
	rows, err := b.run(ctx, work{what: "the partitions of " + t.name.String(), account: account, fail: func(err error) error { return err },
		sql: "SELECT partition_id, last_modified_time, total_rows, total_logical_bytes FROM " + quote(t.name.project) + "." +
			quote(t.name.dataset) +
			".INFORMATION_SCHEMA.PARTITIONS WHERE " + where})
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	l := &listing{version: t.version}
	known := true
	for rows.Next() {
		batch := rows.RecordBatch()
		for i := range int(batch.NumRows()) {
			known = known && l.add(t.parting, batch.Columns(), i)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	l.all = slices.DeleteFunc(l.all, func(p partition) bool { return t.parting.gone(p, b.o.Now()) })
	slices.SortFunc(l.all, partition.compare)
	if !known || len(l.all) < 2 || len(l.all) > maxParted || !l.disjoint() {
		l.all = nil
	}
	r := b.tables.remember(t.name.key())
	b.tables.mu.Lock()
	r.listed = l
	b.tables.mu.Unlock()
	return l, nil
}

// add reads a row of the listing. It returns false if there are too many
// partitions, or if it cannot tell which values a partition with rows has.
func (l *listing) add(p *parting, columns []arrow.Array, i int) bool {
	if len(l.all) > maxParted || len(columns) != 4 {
		return false
	}
	id, ok1 := columns[0].(array.StringLike)
	at, ok2 := columns[1].(*array.Timestamp)
	rows, ok3 := columns[2].(*array.Int64)
	bytes, ok4 := columns[3].(*array.Int64)
	if !ok1 || !ok2 || !ok3 || !ok4 || slices.ContainsFunc(columns, func(c arrow.Array) bool { return c.IsNull(i) }) {
		return false
	}
	one, ok := p.read(id.Value(i))
	if !ok {
		return rows.Value(i) == 0
	}
	one.identity = fmt.Sprintf("%q %q %q %d %d %d %d %d", p.column, p.typ, id.Value(i), one.from, one.to, at.Value(i), rows.Value(i),
		bytes.Value(i))
	l.all = append(l.all, one)
	return true
}

// disjoint reports whether each row can be in one partition only. The partitions
// are in order.
func (l *listing) disjoint() bool {
	for i, one := range l.all[min(1, len(l.all)):] {
		if before := l.all[i]; one.null || !before.null && one.from < before.to {
			return false
		}
	}
	return true
}
