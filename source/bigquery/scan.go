package bigquery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

// Scan runs the scan as a job and starts reading what it has found.
func (b *BigQuery) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	if scan.Traced {
		return b.scanTraced(ctx, scan)
	}
	t, err := b.table(ctx, scan.Relation.Name)
	if err != nil {
		return nil, err
	}
	return b.scan(ctx, t, scan)
}

// scan is Scan of a table that has been described.
func (b *BigQuery) scan(ctx context.Context, t *table, scan source.Scan) (array.RecordReader, error) {
	sql, err := t.statement(scan)
	if err != nil {
		return nil, err
	}
	var warnings []string
	selected := make([]*column, len(scan.Select))
	for i, name := range scan.Select {
		selected[i], _ = t.column(name)
		if w := selected[i].warning; w != "" {
			warnings = append(warnings, w)
		}
	}
	all := t.seesAll(scan.Relation)
	r, err := b.run(ctx, work{
		sql: sql, what: "the table " + t.name.String(), account: scan.Account, ordered: scan.Ordered(), warnings: warnings,
		selected: selected,
		fail:     func(err error) error { return discreet(err, all) },
	})
	if api.CodeQueryFailed.Is(err) {
		b.forget(t.name) // perhaps its columns have changed
	}
	return r, err
}

// statement writes the SELECT of a scan.
func (t *table) statement(scan source.Scan) (string, error) {
	order := make([]string, len(scan.OrderBy))
	for i, o := range scan.OrderBy {
		order[i] = o.Column
	}
	if err := t.checkColumns(scan.Relation, scan.Select, false); err != nil {
		return "", err
	}
	if err := t.checkColumns(scan.Relation, append(predicate.Columns(scan.Where), order...), true); err != nil {
		return "", err
	}
	list := make([]string, len(scan.Select))
	for i, name := range scan.Select {
		c, _ := t.column(name)
		list[i] = c.item
	}
	where, err := condition(scan)
	if err != nil {
		return "", err
	}
	row := t.rowName()
	return "SELECT " + strings.Join(list, ", ") + " FROM " + t.name.from(row) + where + scan.Tail(predicate.GoogleSQL, row), nil
}

// rowName is what a scan calls a row of the table. To GoogleSQL such a name
// goes before a column of the same one, in upper or lower case: what reads the
// column would then read all of the row. So no column has it.
func (t *table) rowName() string {
	for i := 0; ; i++ {
		name := "src"
		if i > 0 {
			name = fmt.Sprintf("src_%d", i)
		}
		same := func(other string) bool { return strings.EqualFold(other, name) }
		if !slices.ContainsFunc(t.columns, func(c column) bool { return same(c.Name) }) &&
			!slices.ContainsFunc(t.pseudo, func(c api.Column) bool { return same(c.Name) }) {
			return name
		}
	}
}

// condition writes the WHERE of a scan. Under a rule, what the caller asks for
// is only evaluated on rows that the rule admits: elsewhere it could fail, and
// so tell what is in them. IF evaluates its second argument only where the
// first is true; simple comparisons, which cannot fail, stay outside so that
// they still choose partitions.
func condition(scan source.Scan) (string, error) {
	rule, where := scan.Relation.Rule, scan.Where
	if rule == nil {
		if where == nil {
			return "", nil
		}
		text, err := print.SQL(predicate.GoogleSQL, where, scan.Env)
		return " WHERE " + text, err
	}
	safe, risky := source.Apart(where)
	text, err := print.SQL(predicate.GoogleSQL, predicate.And(rule, safe), scan.Env)
	if err != nil || risky == nil {
		return " WHERE " + text, err
	}
	admits, err := print.SQL(predicate.GoogleSQL, rule, scan.Env)
	if err != nil {
		return "", err
	}
	asked, err := print.SQL(predicate.GoogleSQL, risky, scan.Env)
	return " WHERE (" + text + ") AND IF((" + admits + "), (" + asked + "), FALSE)", err
}

// discreet takes BigQuery's own words out of an error about a query whose
// caller does not see all of the table: they may hold names and values.
func discreet(err error, all bool) error {
	var e *api.Error
	if all || !errors.As(err, &e) || e.Code != api.CodeQueryFailed {
		return err
	}
	return &api.Error{Code: e.Code, Kind: e.Kind, Err: err, Hint: e.Hint,
		Message: "BigQuery has failed at this query, for instance at a cast of a value that does not fit"}
}
