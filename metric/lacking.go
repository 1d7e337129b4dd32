package metric

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
)

// columnsOf asks for the schema of each table once.
type columnsOf struct {
	of      Schemas
	schemas map[string]*api.TableSchema // nil: nothing is known of the table
}

// lacks says which column a table lacks that an expression names; empty: none, as far as is known.
func (k columnsOf) lacks(ctx context.Context, t *api.SemanticTable, exprs ...string) string {
	schema, asked := k.schemas[t.TableID]
	if !asked && t.TableID != "" {
		schema, _ = k.of.Schema(ctx, t.TableID)
		k.schemas[t.TableID] = schema
	}
	if schema == nil {
		return ""
	}
	for _, expr := range exprs {
		for _, name := range columnsIn(expr) {
			if !slices.ContainsFunc(schema.Columns, func(c api.Column) bool { return strings.EqualFold(c.Name, name) }) {
				return fmt.Sprintf("table %s has no column %s", t.TableID, name)
			}
		}
	}
	return ""
}

// ofReached is what a dimension lacks: of its expression, or of the keys of the joins that lead to it.
func (k columnsOf) ofReached(ctx context.Context, t *api.SemanticTable, r reached) string {
	for _, h := range r.way {
		if lack := k.lacks(ctx, t, h.from...); lack != "" {
			return lack
		}
		if lack := k.lacks(ctx, h.to, h.key...); lack != "" {
			return lack
		}
		t = h.to
	}
	return k.lacks(ctx, t, r.expr)
}

// ofMetric refuses a metric whose measure, time or conditions lack a column.
func (k columnsOf) ofMetric(ctx context.Context, b *branch) error {
	if _, err := b.resolve(); err != nil {
		return err
	}
	exprs := []string{b.metric.Expr}
	if n := b.metric.OneOf; n != nil {
		columns, err := b.oneTimeColumns(n)
		if err != nil {
			return err
		}
		for _, c := range columns {
			exprs = append(exprs, c[0])
		}
	}
	lack := k.lacks(ctx, b.table, exprs...)
	needs := b.named(Time)
	for _, f := range b.filters {
		for _, it := range f.items {
			needs = append(needs, it.reached)
		}
	}
	for _, r := range needs {
		if lack == "" {
			lack = k.ofReached(ctx, b.table, r)
		}
	}
	if lack == "" {
		return nil
	}
	return refuse(fmt.Sprintf("metric '%s' cannot be asked for: %s", b.asked, lack), "Mend the definition of the metric, or the table.")
}

// Lacks returns why a metric that is understood cannot be asked for: a table lacks a column.
func Lacks(ctx context.Context, m *api.SemanticModel, name string, of Schemas) error {
	c := &compiler{SemanticModel: m, asked: name}
	if _, err := c.figure(use{metric: name}, 0); err != nil {
		return nil //nolint:nilerr // Check says that
	}
	known := columnsOf{of: of, schemas: map[string]*api.TableSchema{}}
	for _, b := range c.branches {
		if err := known.ofMetric(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// columnsIn are the names in an expression that can only be columns. Where a name may be
// something else, such as a field, a type or the parameter of a lambda, it is left out.
func columnsIn(expr string) (names []string) {
	all := statement.Lexemes(expr)
	if strings.Contains(expr, "->") || strings.Contains(strings.ToLower(expr), "lambda") {
		return nil
	}
	for i, l := range all {
		before, after := Beside(all, i, -1), Beside(all, i, 1)
		word := strings.ToLower(l.Text)
		switch {
		case before.Text == "." || before.Text == ":" || strings.EqualFold(before.Text, "AS") || after.Text == "." || after.Text == "(":
		case l.Kind == statement.Name:
			names = append(names, nameOf(l))
		case l.Kind == statement.Word && !IsSQL(word, before, after) && !slices.Contains(grains, word) && !slices.Contains(notColumns, word):
			names = append(names, l.Text)
		}
	}
	return names
}

// notColumns are further words of SQL that are not names of columns.
var notColumns = strings.Fields(`current_time localtime localtimestamp all any both collate filter for from leading order by partition over
	rows range preceding following unbounded current row asc desc nulls first last trailing using at time zone with within without group
	respect ignore isodow isoyear isoweek week dow doy epoch dayofweek dayofyear microsecond millisecond unknown array struct map
	try_cast safe_cast glob regexp rlike div mod xor exists select where`)
