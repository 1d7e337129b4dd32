package bigquery

import (
	"context"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

var _ source.Tracer = (*BigQuery)(nil)

// Traceable implements source.Tracer: for large tables partitioned by a column
// that is among those selected, because its values tell the partition of a row.
func (b *BigQuery) Traceable(ctx context.Context, scan source.Scan) (bool, error) {
	t, err := b.table(ctx, scan.Relation.Name)
	if err != nil {
		return false, err
	}
	return t.traceable(scan), nil
}

func (t *table) traceable(scan source.Scan) bool {
	scan.Traced = false // values tell partitions in any order
	p := t.parting
	return p != nil && kinds[p.typ] != 0 && t.version != "" && *t.bytes >= leastParted &&
		!scan.Ordered() && slices.Contains(scan.Select, p.column)
}

// scanTraced reads the partitions that the caller does not have. Rows are traced
// only if the table is the same before and after. The job itself needs no order:
// a row's value tells its partition.
func (b *BigQuery) scanTraced(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	scan.Traced = false
	t, err := b.tableYounger(ctx, scan.Relation.Name, 0)
	if err != nil {
		return nil, err
	}
	if !t.traceable(scan) {
		return b.scan(ctx, t, scan)
	}
	billed := b.listed(t) == nil
	l, err := b.partitions(ctx, t, scan.Account)
	if err != nil && (scan.Held != nil || ctx.Err() != nil) {
		return nil, err
	}
	if err != nil || l.all == nil {
		return b.scan(ctx, t, scan)
	}
	if most := scan.Account.MaxBilledBytes; most != nil && billed {
		rest := max(*most-billedLeast, 0)
		scan.Account.MaxBilledBytes = &rest
	}
	asked := scan
	if scan.Held != nil {
		asked = l.without(t, scan)
	}
	rows, err := b.scan(ctx, t, asked)
	if err != nil {
		return nil, err
	}
	return &traced{RecordReader: rows, scan: scan, table: t, parts: l.all, rows: make([]int64, len(l.all)),
		at: slices.Index(scan.Select, t.parting.column), same: func() bool {
			now, err := b.tableYounger(ctx, scan.Relation.Name, 0)
			return err == nil && now.version == t.version
		}}, nil
}

// without restricts a scan to the partitions that the caller does not have.
func (l *listing) without(t *table, scan source.Scan) source.Scan {
	left := slices.DeleteFunc(slices.Clone(l.all), func(p partition) bool { return scan.Held(p.identity) })
	scan.Where = predicate.And(scan.Where, t.parting.within(left))
	return scan
}

// untraced returns the scan that runs for a traced one, and the bytes that listing
// the partitions would be billed.
func (b *BigQuery) untraced(ctx context.Context, t *table, scan source.Scan) (source.Scan, int64, error) {
	scan.Traced = false
	if !t.traceable(scan) {
		return scan, 0, nil
	}
	if scan.Held != nil {
		l, err := b.partitions(ctx, t, scan.Account)
		if err == nil && l.all != nil {
			scan = l.without(t, scan)
		}
		return scan, 0, err
	}
	if b.listed(t) != nil {
		return scan, 0, nil
	}
	return scan, billedLeast, nil
}

// traced are rows that know their partitions by a column's values.
type traced struct {
	array.RecordReader
	scan  source.Scan
	table *table
	parts []partition
	rows  []int64 // that have come, of each
	at    int     // the column
	last  int     // the partition of the last value
	same  func() bool
	ended bool // with the table as it was when the scan began
	lost  bool // there is a row of an unknown partition
}

// Next implements array.RecordReader.
func (t *traced) Next() bool {
	if !t.RecordReader.Next() {
		t.ended = !t.lost && t.Err() == nil && t.same()
		return false
	}
	switch values := t.RecordBatch().Column(t.at).(type) {
	case *array.Int64:
		countValues(t, values.Int64Values(), values)
	case *array.Timestamp:
		unit := values.DataType().(*arrow.TimestampType).Unit
		t.lost = t.lost || unit != arrow.Microsecond
		countValues(t, values.TimestampValues(), values)
	case *array.Date32:
		countValues(t, values.Date32Values(), values)
	default:
		t.lost = true
	}
	return true
}

func countValues[T ~int32 | ~int64](t *traced, values []T, column arrow.Array) {
	for i, v := range values {
		if t.lost {
			return
		}
		t.count(int64(v), column.IsNull(i))
	}
}

// count notes a value.
func (t *traced) count(v int64, null bool) {
	at := t.last
	switch {
	case null:
		at = 0
	case !t.parts[at].contains(v):
		at = max(0, sort.Search(len(t.parts), func(i int) bool { return !t.parts[i].null && t.parts[i].from > v })-1)
	}
	if one := t.parts[at]; !one.contains(v) && !(null && one.null) {
		t.lost = true
		return
	}
	t.rows[at]++
	t.last = at
}

// Files implements source.TracedRows. Under a row rule, partitions without any visible
// row are left out.
func (t *traced) Files() []source.FileRows {
	if !t.ended {
		return nil
	}
	var out []source.FileRows
	for i, p := range t.parts {
		isHeld := t.scan.Held != nil && t.scan.Held(p.identity)
		switch {
		case isHeld && t.rows[i] > 0:
			return nil // rows of a partition that was not to be read
		case isHeld || t.rows[i] > 0 || t.scan.Relation.Rule == nil:
			out = append(out, source.FileRows{File: p.identity, Rows: t.rows[i], Held: isHeld, Values: t.table.parting.values(p)})
		}
	}
	return out
}
