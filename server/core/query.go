package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Query implements api.Querier: one SELECT over tables of a single source, run by
// that source's engine.
func (s *Session) Query(ctx context.Context, req api.QueryRequest) (*api.Stream, error) {
	ctx = s.owned(ctx)
	r := s.begin(api.EventQuery, "")
	r.event.Data.Limit = req.Limit
	q, err := s.bind(ctx, req, r)
	if err != nil {
		return nil, r.end(ctx, err)
	}
	stream, err := s.stream(ctx, r, job{
		table: q.blamed(), now: s.core.now().UTC().Truncate(time.Microsecond), ordered: true, ruled: q.ruled(), limit: req.Limit,
		estimate: func(ctx context.Context) (*api.Estimate, error) {
			return s.estimateQuery(ctx, req.SQL, q, r)
		},
		run: func(ctx context.Context) (array.RecordReader, error) {
			if payer, ok := q.runner.(source.Payer); ok {
				return payer.QueryFor(ctx, req.SQL, q.relations, s.account(r))
			}
			return q.runner.Query(ctx, req.SQL, q.relations)
		},
	})
	if err != nil {
		return nil, err
	}
	for _, p := range q.tables {
		stream.Tables = append(stream.Tables, p.ID)
	}
	return stream, nil
}

// bound is a statement with its tables resolved, and what the caller can see of
// them.
type bound struct {
	runner    source.Querier
	tables    []*permit
	relations map[string]source.Relation
}

// blamed is the table that errors are attributed to. If the caller sees only a part of
// some table, it is that one, so that errors reveal nothing about the rest.
func (q *bound) blamed() *table {
	for _, t := range q.tables {
		if t.partial {
			return t.table
		}
	}
	return q.tables[0].table
}

// ruled reports whether a row rule applies to one of the tables.
func (q *bound) ruled() bool {
	for _, rel := range q.relations {
		if rel.Rule != nil {
			return true
		}
	}
	return false
}

// bind proves a statement and resolves its tables.
func (s *Session) bind(ctx context.Context, req api.QueryRequest, r *record) (*bound, error) {
	r.asked = req.SQL
	r.event.Data.StatementHash = s.core.state.Hash("statement", req.SQL)
	if err := s.checkLimit(req.Limit); err != nil {
		return nil, err
	}
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	proof, err := v.inspect(ctx, req.SQL)
	if err != nil {
		return nil, err
	}
	stmt := proof.stmt
	if len(stmt.Tables) == 0 {
		return nil, &api.Error{Code: api.CodeStatement, Kind: api.KindNoTable, Message: "the statement reads no table",
			Hint: "A statement that runs at the source names a table of the catalog.",
			Next: []api.Step{api.Do(api.ActionCatalog, "see the tables"), api.Do(api.ActionQuery, "run it here")}}
	}
	q := &bound{relations: map[string]source.Relation{}}
	for _, name := range stmt.Tables {
		p, err := v.authoriseAsOf(ctx, name)
		if err != nil {
			return nil, err
		}
		rel, err := p.readBy(stmt)
		if err == nil {
			err = unmaskedOnly(rel)
		}
		if err != nil {
			return nil, err
		}
		q.relations[name] = rel
		q.tables = append(q.tables, p)
	}
	r.event.Data.Tables = stmt.Tables
	if len(stmt.Tables) == 1 {
		r.event.TableID, r.event.Data.AsOf = api.AsOf(stmt.Tables[0])
		r.event.Data.Tables = nil
	}
	for _, p := range q.tables[1:] {
		if p.Source != q.tables[0].Source {
			return nil, severalSources(q.tables)
		}
	}
	var ok bool
	if q.runner, ok = q.tables[0].source.(source.Querier); !ok {
		return nil, noRemoteQuery(q.tables[0].table)
	}
	if source.Printed(q.runner) != proof.dialect {
		return nil, internalError("bind a statement", fmt.Errorf("it was proven as %s and would run as %s", proof.dialect, source.Printed(q.runner)))
	}
	return q, nil
}

// readBy returns what a statement can read of the table. With several grants, it
// uses those that include all columns which the statement names, unmasked. The relation
// has only such columns, so the statement cannot read any other.
func (p *permit) readBy(stmt source.Statement) (source.Relation, error) {
	if p.all || len(p.rects) == 1 && !p.masking() {
		return p.relation(), nil
	}
	named := []string{}
	for _, col := range p.full.Columns {
		visible := slices.ContainsFunc(p.rects, func(r rectangle) bool { return r.holds([]string{col.Name}) })
		if visible && (stmt.Whole || slices.Contains(stmt.Columns, lower(col.Name))) {
			named = append(named, col.Name)
		}
	}
	rel, ok := p.part(nil, named)
	if !ok {
		way := "a statement at the source cannot read it"
		if stmt.Whole {
			way = "a statement at the source names the columns that it reads, without that one"
		}
		if err := p.maskedColumn(nil, named, way); err != nil {
			return source.Relation{}, err
		}
		return source.Relation{}, p.notTogether(named)
	}
	rel.Columns = named
	if len(p.rects) == 1 {
		rel.Columns = slices.DeleteFunc(columnNames(p.full.Columns), func(c string) bool {
			return p.rects[0].hides(c) || !p.rects[0].holds([]string{c})
		})
	}
	return rel, nil
}

// lower folds a name as engines do: ASCII only.
func lower(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, name)
}

// estimateAll adds up the cost of reading each table once, whatever the statement
// leaves out. The size of the result is unknown.
func (c *Core) estimateAll(ctx context.Context, q *bound) (*api.Estimate, error) {
	sum := &api.Estimate{ScanBytes: new(int64), BilledBytes: new(int64)}
	add := func(to **int64, n *int64) {
		if n == nil || *to == nil {
			*to = nil
			return
		}
		**to += *n
	}
	for _, p := range q.tables {
		rel := q.relations[p.ID]
		sc, err := c.schema(ctx, p.table, rel)
		if err != nil {
			return nil, err
		}
		scan := source.Scan{Relation: rel, Select: columnNames(sc.Columns), Env: predicate.Env{Now: c.now().UTC()}}
		if len(scan.Select) == 0 {
			continue // it only counts rows, which file metadata has
		}
		est, err := c.estimate(ctx, p.table, scan)
		if err != nil {
			return nil, err
		}
		add(&sum.ScanBytes, est.ScanBytes)
		add(&sum.BilledBytes, est.BilledBytes)
	}
	return sum, nil
}

func severalSources(tables []*permit) error {
	var ids []string
	for _, t := range tables {
		ids = append(ids, t.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var next []api.Step
	for _, id := range ids {
		next = append(next, api.Do(api.ActionFetch, "get what you need of "+id, "table_id", id))
	}
	return &api.Error{Code: api.CodeStatement, Kind: api.KindSeveralSources,
		Message: "the statement reads tables of more than one source", Hint: "Fetch what you need of each, then join the snapshots here.",
		Next: append(next, api.Do(api.ActionQuery, "join the snapshots")), Details: map[string]any{"tables": ids}}
}
