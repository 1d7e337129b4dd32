package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement/warehouse"
)

var _ source.Querier = (*ClickHouse)(nil)

// Inspect proves a statement by its text; see Query.
func (c *ClickHouse) Inspect(_ context.Context, sql string) (source.Statement, error) {
	s, err := warehouse.ClickHouse.Check(sql)
	if err != nil {
		return source.Statement{}, err
	}
	columns, whole := s.Named()
	return source.Statement{Tables: s.Tables, Columns: columns, Whole: whole}, nil
}

// Query runs a statement. It is printed anew from what was understood of it, with a
// query of what the caller can see in place of each table, and sent as all others are:
// with readonly set, so that the engine refuses to write.
func (c *ClickHouse) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	s, err := warehouse.ClickHouse.Check(sql)
	if err != nil {
		return nil, err
	}
	seesAll, shown, relations := true, source.Shown{}, map[string]string{}
	for name, rel := range tables {
		r, err := c.describe(ctx, rel.Name)
		if err != nil {
			return nil, err
		}
		seesAll = seesAll && rel.Whole()
		if relations[name], shown[name], err = r.visible(rel); err != nil {
			return nil, err
		}
	}
	out, err := c.query(ctx, s.Written(relations), seesAll)
	var e *api.Error
	if !seesAll && errors.As(err, &e) && e.Code == api.CodeQueryFailed {
		return nil, shown.Misnamed(e.Kind, err)
	}
	return out, err
}

// visible is a query of what exists for the caller, with the values as they are in the
// engine, and its columns.
func (r *relation) visible(rel source.Relation) (sql string, names []string, err error) {
	var items, inner []string
	for i, col := range r.columns {
		if !rel.Sees(col.Name) {
			continue
		}
		names = append(names, col.Name)
		items = append(items, fmt.Sprintf("da_%d AS %s", i, quote(col.Name)))
		inner = append(inner, fmt.Sprintf("t.%s AS da_%d", quote(col.Name), i))
	}
	if len(items) == 0 { // the statement only counts rows
		items, inner = []string{"1 AS da_0"}, []string{"1 AS da_0"}
	}
	if rel.Rule == nil && len(names) > 0 {
		var plain []string
		for _, name := range names {
			plain = append(plain, quote(name))
		}
		return fmt.Sprintf("(SELECT %s FROM %s)", strings.Join(plain, ", "), r), names, nil
	} else if rel.Rule == nil {
		return fmt.Sprintf("(SELECT 1 AS da_0 FROM %s)", r), nil, nil
	}
	for _, name := range predicate.Columns(rel.Rule) {
		col, err := source.Column(source.Relation{}, r.columns, name)
		if err != nil {
			return "", nil, err
		}
		inner = append(inner, of(col.codec.base, "t."+quote(name))+" AS "+quote(name))
	}
	text, err := print.SQL(predicate.ClickHouse, rel.Rule, predicate.Env{})
	return fmt.Sprintf("(SELECT %s FROM (SELECT %s FROM %s AS t) AS src WHERE %s%s)",
		strings.Join(items, ", "), strings.Join(inner, ", "), r, text, barrier), names, err
}

// query asks which columns a statement has, and runs it such that Arrow has their types.
func (c *ClickHouse) query(ctx context.Context, sql string, seesAll bool) (array.RecordReader, error) {
	list, err := rows[struct{ Name, Type string }](ctx, c, "DESCRIBE TABLE ("+sql+")")
	if err != nil {
		return nil, failure(ctx, err, seesAll)
	}
	var columns []column
	var items []string
	for _, got := range list {
		col := column{Column: api.Column{Name: got.Name}}
		if col.codec, col.Nullable = codecOf(got.Type); col.codec.refused != "" {
			return nil, refusedColumn(col)
		}
		items = append(items, of(col.codec.cast, of(col.codec.base, "src."+quote(got.Name)))+fmt.Sprintf(" AS da_%d", len(columns)))
		columns = append(columns, col)
	}
	a, err := c.ask(ctx, "SELECT "+strings.Join(items, ", ")+" FROM ("+sql+") AS src", "ArrowStream")
	if err != nil {
		return nil, failure(ctx, err, seesAll)
	}
	out, err := newReader(ctx, a, columns, nil, seesAll)
	if err != nil {
		a.stop()
		return nil, err
	}
	return out, nil
}
