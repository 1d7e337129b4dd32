package snowflake

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barrier ends a subquery that returns only rows visible to the caller. No condition moves
// through a LIMIT, so the caller's expressions are not evaluated on hidden rows, where an
// error would reveal what is in them.
const barrier = " LIMIT 9223372036854775807"

// plan writes the statement of a scan. The names in it have been checked against the
// columns that the caller sees.
func (r *relation) plan(scan source.Scan) (columns []column, sql string, err error) {
	if columns, err = source.Selected(scan, r.columns); err != nil {
		return nil, "", err
	}
	var items []string
	for i, c := range columns {
		items = append(items, of(c.codec.cast, "src."+quote(c.Name))+` AS "da_`+strconv.Itoa(i)+`"`)
	}
	sql, err = scan.SQL(source.Selecting{Dialect: predicate.Snowflake, Items: items, From: r.from(scan.Reads()), Barrier: barrier})
	return columns, sql, err
}

// from is a subquery with the named columns, each as predicates take it.
func (r *relation) from(names []string) string {
	var items []string
	for _, c := range r.columns {
		if slices.Contains(names, c.Name) {
			items = append(items, of(c.codec.base, quote(c.Name))+" AS "+quote(c.Name))
		}
	}
	if items == nil {
		items = []string{"1"}
	}
	return fmt.Sprintf("(SELECT %s FROM %s)", strings.Join(items, ", "), r)
}

// of writes a form of a column; empty: the column itself.
func of(form, column string) string {
	if form == "" {
		return column
	}
	return fmt.Sprintf(form, column)
}

// Scan implements source.Source.
func (s *Snowflake) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	r, err := s.describe(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	columns, sql, err := r.plan(scan)
	if err != nil {
		return nil, err
	}
	seesAll := scan.Relation.Whole()
	answer, err := s.driver.query(ctx, sql)
	if err != nil {
		return nil, failure(ctx, err, seesAll)
	}
	return newReader(ctx, answer, columns, seesAll), nil
}

// Sample reads the first rows that the engine finds.
func (s *Snowflake) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := s.describe(ctx, rel)
	if err != nil {
		return nil, err
	}
	return s.Scan(ctx, source.FirstRows(rel, r.columns, n))
}

// Estimate tells how many bytes of a table's partitions the engine would read. What that
// costs is not known: the time of a warehouse is billed.
func (s *Snowflake) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	r, err := s.describe(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	_, sql, err := r.plan(scan)
	if err != nil {
		return nil, err
	}
	e := &api.Estimate{RowsUpperBound: scan.Limit}
	if scan.Relation.Rule != nil {
		return e, nil // how many there are is hidden
	}
	_, rows, err := s.table(ctx, "EXPLAIN USING JSON "+sql)
	if err != nil {
		if err = failure(ctx, err, scan.Relation.Whole()); api.CodeQueryFailed.Is(err) { // what it explains is ours
			err = nil
		}
		return e, err
	}
	var plan struct {
		GlobalStats struct {
			Bytes *int64 `json:"bytesAssigned"`
		}
	}
	if len(rows) == 1 && len(rows[0]) == 1 && rows[0][0] != nil && json.Unmarshal([]byte(*rows[0][0]), &plan) == nil {
		e.ScanBytes = plan.GlobalStats.Bytes
	}
	return e, nil
}
