package bigquery

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cloud.google.com/go/bigquery"
	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/api/iterator"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

// ruledRows is the number of rows that are listed to find those that a rule
// allows.
const ruledRows = 1000

// Sample lists the first rows of a table, which BigQuery does not bill. Views are
// refused, because BigQuery lists no rows of them. Under a rule, it returns those
// of the first 1,000 rows that the rule allows.
func (b *BigQuery) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	t, err := b.table(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	if t.name.at != "" {
		return nil, notListed("a table as it was has no rows that could be shown without a billed query", nil)
	}
	if t.view {
		return nil, notListed("a view has no rows that could be shown without a billed query", nil)
	}
	columns := t.visible(rel)
	if rel.Rule == nil {
		return b.list(ctx, t, columns, n)
	}
	return b.listRuled(ctx, t, rel, columns, n)
}

// fetchFew suggests a small fetch in place of a sample.
var fetchFew = []api.Step{api.Do(api.ActionFetch, "get a few rows instead", "limit", 5),
	api.Do(api.ActionEstimate, "see first what that costs", "limit", 5)}

func notListed(message string, err error) error {
	return &api.Error{Code: api.CodeQueryFailed, Kind: api.KindView, Err: err, Message: message,
		Next: fetchFew}
}

// list reads the first rows of columns.
func (b *BigQuery) list(ctx context.Context, t *table, columns []*column, n int) (array.RecordReader, error) {
	jobs, _, err := b.clients.open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := b.call(ctx)
	defer cancel()
	rows := jobs.DatasetInProject(t.name.project, t.name.dataset).Table(t.name.table).Read(ctx)
	rows.PageInfo().MaxSize = n
	build := newRows(t, columns)
	defer build.release()
	for n > 0 {
		var row []bigquery.Value
		err := rows.Next(&row)
		if errors.Is(err, iterator.Done) {
			break
		}
		if err == nil {
			err = build.add(t, row)
		}
		if f, ok := faultOf(err); ok && f.reason == "invalid" {
			// Materialized views, and tables whose rows are stored outside
			// BigQuery.
			return nil, notListed("BigQuery lists no rows of this table, and a query would be billed", err)
		}
		if err != nil {
			return nil, failure(ctx, err, "the table "+t.name.String())
		}
		n--
	}
	return build.reader()
}

// listRuled lists rows and returns those that a rule allows. The local engine
// evaluates the rule, so it must have the same meaning there.
func (b *BigQuery) listRuled(ctx context.Context, t *table, rel source.Relation, columns []*column, n int) (array.RecordReader, error) {
	text, err := print.SQL(predicate.DuckDB, rel.Rule, predicate.Env{Now: b.o.Now()})
	for _, name := range predicate.Columns(rel.Rule) {
		if c, ok := t.column(name); err == nil && (!ok || c.warning != "") {
			err = fmt.Errorf("column %s does not travel as it is", name)
		}
	}
	if err != nil {
		return nil, &api.Error{Code: api.CodeQueryFailed, Kind: api.KindRuledSample, Err: err,
			Message: "no rows can be shown without a billed query: which you may see is decided by BigQuery alone",
			Next:    fetchFew}
	}
	all := make([]*column, len(t.columns))
	for i := range t.columns {
		all[i] = &t.columns[i]
	}
	rows, err := b.list(ctx, t, all, ruledRows)
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = duckdb.Quote(c.Name)
	}
	return filtered(ctx, rows, fmt.Sprintf("SELECT %s FROM listed WHERE %s LIMIT %d", strings.Join(list, ", "), text, n))
}

// filtered runs a SELECT over a few rows, as a table with the name listed.
func filtered(ctx context.Context, rows array.RecordReader, sql string) (array.RecordReader, error) {
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: "256MB", Threads: 1, PreserveOrder: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Import(ctx, "incoming", rows, "CREATE TABLE listed AS SELECT * FROM incoming"); err != nil {
		return nil, err
	}
	out, err := c.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer out.Release()
	// The rows outlive the engine, because their memory is Arrow's.
	return inMemory(out)
}
