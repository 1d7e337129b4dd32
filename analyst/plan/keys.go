package plan

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/needs"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

const (
	// maxKeys is how many values a predicate can list.
	maxKeys = 1000
	// maxKeyRows is the maximum size of a table, in rows, whose values are
	// collected or waited for.
	maxKeyRows = 1_000_000
)

// narrowing restricts the planned fetches of a join to the key values that occur
// in its smaller side.
type narrowing struct {
	a      *analyst.Analyst
	remote analyst.Remote
	conn   *duckdb.Conn // has the local tables, with their rows
	fresh  bool
	tables []Table

	sizes   map[string]size
	columns needs.Columns
	types   map[string]map[string]string // local types of columns, by table
}

// size orders tables: local ones first, then those with the fewest rows to fetch.
type size struct{ away, rows, bytes int64 }

func (s size) compare(o size) int {
	return cmp.Or(cmp.Compare(s.away, o.away), cmp.Compare(s.rows, o.rows), cmp.Compare(s.bytes, o.bytes))
}

// run narrows the tables of a proven statement, smallest first.
func (n *narrowing) run(ctx context.Context, sql string) error {
	if len(n.tables) < 2 {
		return nil
	}
	n.sizes, n.columns, n.types = map[string]size{}, needs.Columns{}, map[string]map[string]string{}
	for i := range n.tables {
		if err := n.measure(ctx, &n.tables[i]); err != nil {
			return err
		}
	}
	joins, err := needs.Joins(ctx, n.conn, sql, n.columns)
	if err != nil || len(joins) == 0 {
		return err
	}
	order := make([]*Table, len(n.tables))
	for i := range n.tables {
		order[i] = &n.tables[i]
	}
	slices.SortStableFunc(order, func(p, q *Table) int { return n.sizes[p.TableID].compare(n.sizes[q.TableID]) })
	for _, p := range order {
		if p.Estimate == nil {
			continue
		}
		if err := n.narrow(ctx, p, joins); err != nil {
			return err
		}
	}
	return nil
}

// measure records the size and the columns of a table.
func (n *narrowing) measure(ctx context.Context, p *Table) error {
	types := map[string]string{}
	n.types[p.TableID] = types
	if p.From == FromHere {
		from := "FROM " + duckdb.Quote(p.TableID)
		cols, err := n.conn.Describe(ctx, from)
		if err != nil {
			return ctx.Err() // its size stays unknown, as for kept results
		}
		for _, c := range cols {
			n.columns[p.TableID], types[c.Name] = append(n.columns[p.TableID], c.Name), c.Type
		}
		var rows int64
		err = n.conn.QueryRow(ctx, "SELECT count(*) "+from, nil, &rows)
		n.sizes[p.TableID] = size{rows: rows}
		return err
	}
	for i, c := range p.table.Columns {
		n.columns[p.TableID], types[c.Name] = append(n.columns[p.TableID], c.Name), p.types[i]
	}
	switch {
	case p.From == FromReuse:
		n.sizes[p.TableID] = size{rows: p.found.Held.Rows}
	case p.Estimate != nil:
		n.sizes[p.TableID] = size{1, mostRows(p.Estimate), orMost(p.Estimate.ScanBytes)}
	}
	return nil
}

// mostRows is the best upper bound in an estimate.
func mostRows(e *api.Estimate) int64 {
	return min(orMost(e.ResultRows), orMost(e.RowsHigh), orMost(e.RowsUpperBound), orMost(e.TableRows))
}

func orMost(n *int64) int64 {
	if n == nil {
		return math.MaxInt64
	}
	return *n
}

// narrow restricts a table to be fetched by the keys of smaller tables: their
// values if they are local, otherwise a KeyList to be filled at fetch time.
func (n *narrowing) narrow(ctx context.Context, p *Table, joins []needs.Join) error {
	before := p.Where
	for _, j := range joins {
		if p.From == FromNothing || j.Table != p.TableID || n.sizes[j.Other].compare(n.sizes[p.TableID]) >= 0 ||
			!needs.Key(p.table, j.Column, n.types[j.Other][j.OtherColumn]) {
			continue
		}
		i := slices.IndexFunc(n.tables, func(t Table) bool { return t.TableID == j.Other })
		other := &n.tables[i]
		switch rows := n.sizes[j.Other].rows; {
		case other.Estimate != nil && rows > maxKeyRows && rows < math.MaxInt64:
		case other.Estimate != nil:
			p.Keys = append(p.Keys, KeyList{j.Column, j.Other, j.OtherColumn})
		case rows <= maxKeyRows:
			values, err := n.valuesOf(ctx, other, j.OtherColumn)
			if err != nil {
				return err
			}
			p.among(j.Column, values)
		}
	}
	if p.From != FromNothing && p.Where != before {
		return placeOne(ctx, n.a, n.remote, p, fetch.Holdings(n.a), n.fresh)
	}
	return nil
}

// valuesOf returns the values of a local table's column; nil if there are too
// many.
func (n *narrowing) valuesOf(ctx context.Context, t *Table, column string) ([]string, error) {
	switch {
	case t.From == FromHere:
		return values(ctx, n.conn, duckdb.Quote(t.TableID), column)
	case t.found == nil:
		return []string{}, nil // no row is needed
	}
	links, err := t.found.Link()
	if err != nil {
		return nil, nil // it was just removed; taking it will report that
	}
	defer links.Close()
	return valuesIn(ctx, n.a, t.found.SQL(links.Path(t.found.Held.Name)), column)
}

// valuesIn returns the values of a column of a SELECT over files; nil if there
// are too many.
func valuesIn(ctx context.Context, a *analyst.Analyst, sql, column string) ([]string, error) {
	conn, err := a.OpenEngine(false)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return values(ctx, conn.Conn, "("+sql+")", column)
}

// values returns the distinct values of a column as text, in order; nil if there
// are more than maxKeys.
func values(ctx context.Context, conn *duckdb.Conn, from, column string) ([]string, error) {
	name := duckdb.Quote(column)
	rows, err := conn.Query(ctx, fmt.Sprintf("SELECT DISTINCT %s::VARCHAR AS v FROM %s WHERE %s IS NOT NULL ORDER BY v LIMIT %d", name, from,
		name, maxKeys+1))
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	all := []string{}
	for rows.Next() {
		column, ok := rows.RecordBatch().Column(0).(*array.String)
		for i := 0; ok && i < column.Len(); i++ {
			all = append(all, string([]byte(column.Value(i)))) // copied: the batch is released
		}
	}
	if len(all) > maxKeys {
		return nil, rows.Err()
	}
	return all, rows.Err()
}

// among restricts a column to a list of values; nil means no restriction. With an
// empty list, no row is needed.
func (t *Table) among(column string, values []string) {
	switch {
	case values == nil:
	case len(values) == 0:
		t.From, t.Reuse, t.Estimate, t.Keys, t.found = FromNothing, nil, nil, nil, nil
	default:
		if where, ok := needs.Narrow(t.table, t.Where, column, values); ok {
			t.Where = where
		}
	}
}
