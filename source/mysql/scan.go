package mysql

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// barrier ends a subquery whose rows are all that the caller may know of: the
// engine does not merge a subquery with a LIMIT into what surrounds it, so that
// nothing of the caller's is evaluated on other rows, where it could fail and
// so tell what is in them.
const barrier = " LIMIT 18446744073709551615"

// plan is a scan as a statement.
type plan struct {
	columns []column
	sql     string
}

// plan prints a scan. The names in it have been checked against the relation
// as the caller sees it.
func (r *relation) plan(scan source.Scan) (*plan, error) {
	p := &plan{}
	rel := scan.Relation
	var items []string
	for _, name := range scan.Select {
		c, err := r.column(rel, name)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, c)
		items = append(items, quote(name))
	}
	named := append([]string{}, scan.Select...)
	named = append(named, predicate.Columns(scan.Where)...)
	for _, o := range scan.OrderBy {
		named = append(named, o.Column)
	}
	for _, name := range named {
		if _, err := r.column(rel, name); err != nil {
			return nil, err
		}
	}
	safe, risky := scan.Where, predicate.Expr(nil)
	if rel.Rule != nil {
		named = append(named, predicate.Columns(rel.Rule)...)
		safe, risky = source.Apart(scan.Where)
		safe = predicate.And(rel.Rule, safe)
	}
	from := r.from(named)
	inner, err := condition(safe, scan.Env)
	if err != nil {
		return nil, err
	}
	if rel.Rule != nil && risky != nil {
		from = "(SELECT * FROM " + from + inner + barrier + ") AS src"
		if inner, err = condition(risky, scan.Env); err != nil {
			return nil, err
		}
	}
	p.sql = "SELECT " + strings.Join(items, ", ") + " FROM " + from + inner
	if len(scan.OrderBy) > 0 {
		p.sql += " ORDER BY " + order(scan.OrderBy)
	}
	if scan.Limit != nil {
		p.sql += fmt.Sprintf(" LIMIT %d", *scan.Limit)
	}
	return p, nil
}

func condition(e predicate.Expr, env predicate.Env) (string, error) {
	if e == nil {
		return "", nil
	}
	text, err := predicate.Print(predicate.MySQL, e, env)
	if err != nil {
		return "", err
	}
	return " WHERE " + text, nil
}

// order spells out where NULLs go, for which the engine has no words.
func order(terms []predicate.Order) string {
	var out []string
	for _, t := range terms {
		name, nulls, values := quote(t.Column), "", ""
		if t.NullsFirst {
			nulls = " DESC"
		}
		if t.Desc {
			values = " DESC"
		}
		out = append(out, name+" IS NULL"+nulls, name+values)
	}
	return strings.Join(out, ", ")
}

// Scan implements source.Source.
func (m *MySQL) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	r, err := m.describe(ctx, scan.Relation.Name)
	if err != nil {
		return nil, err
	}
	p, err := r.plan(scan)
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

// Sample reads the first rows that the engine comes upon.
func (m *MySQL) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	r, err := m.describe(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	limit := int64(n)
	scan := source.Scan{Relation: rel, Limit: &limit}
	for _, c := range r.columns {
		if rel.Sees(c.Name) {
			scan.Select = append(scan.Select, c.Name)
		}
	}
	return m.Scan(ctx, scan)
}
