package bigquery

import (
	"context"
	"strings"

	"cloud.google.com/go/bigquery"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement/warehouse"
)

var _ source.Payer = (*BigQuery)(nil)

// maxReferenced is the largest number of tables that a dry run lists; it leaves
// out the others.
const maxReferenced = 50

func quote(name string) string { return predicate.QuoteIdent(predicate.GoogleSQL, name) }

// Inspect proves a statement by its text. Before Query runs the statement,
// BigQuery's dry run also reports which tables it reads.
func (b *BigQuery) Inspect(_ context.Context, sql string) (source.Statement, error) {
	s, err := warehouse.Check(sql)
	if err != nil {
		return source.Statement{}, err
	}
	return source.Statement{Tables: s.Tables, Whole: true}, nil
}

// Query runs a statement on nobody's account.
func (b *BigQuery) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	return b.QueryFor(ctx, sql, tables, source.Account{})
}

// QueryFor runs a statement that reads only the given tables.
func (b *BigQuery) QueryFor(ctx context.Context, sql string, tables map[string]source.Relation,
	account source.Account) (array.RecordReader, error) {
	w, _, err := b.gate(ctx, sql, tables, account)
	if err != nil {
		return nil, err
	}
	return b.run(ctx, w)
}

// EstimateQuery returns what a statement would read.
func (b *BigQuery) EstimateQuery(ctx context.Context, sql string, tables map[string]source.Relation,
	account source.Account) (*api.Estimate, error) {
	_, s, err := b.gate(ctx, sql, tables, account)
	if err != nil {
		return nil, err
	}
	return cost(s), nil
}

// cost is the number of bytes that a dry run reports.
func cost(s *bigquery.QueryStatistics) *api.Estimate {
	e := &api.Estimate{}
	if isUpperBound(s.TotalBytesProcessedAccuracy) {
		bytes, bill := s.TotalBytesProcessed, billed(s.TotalBytesProcessed, len(s.ReferencedTables))
		e.ScanBytes, e.BilledBytes = &bytes, &bill
	}
	return e
}

// gate proves a statement by its text, and proves by dry runs that it reads only
// the given tables. A table that the caller sees only in part is refused:
// expressions that fail on its hidden rows would have to be kept from them.
func (b *BigQuery) gate(ctx context.Context, sql string, relations map[string]source.Relation,
	account source.Account) (work, *bigquery.QueryStatistics, error) {
	s, err := warehouse.Check(sql)
	if err != nil {
		return work{}, nil, err
	}
	for _, name := range s.Tables {
		if _, ok := relations[name]; !ok {
			return work{}, nil, otherTable()
		}
	}
	bound, bodies, given := map[string]*table{}, map[string]string{}, map[string]bool{}
	for name, rel := range relations {
		t, err := b.table(ctx, rel.Name)
		if err != nil {
			return work{}, nil, err
		}
		if !t.seesAll(rel) {
			return work{}, nil, partOfTable(name, "you may see only a part of it, and BigQuery cannot restrict it to that part", nil)
		}
		if t.needsFilter && len(t.pseudo) > 0 {
			return work{}, nil, partOfTable(name, "it requires a filter on "+partitionTime+", which a statement cannot name", nil)
		}
		bound[name], bodies[name], given[t.name.String()] = t, "SELECT * FROM "+t.name.from(""), true
	}
	under, err := b.lookBelow(ctx, bound, account)
	if err != nil {
		return work{}, nil, err
	}
	w := work{sql: s.Bind(bodies), what: "the tables of the statement", account: account, ordered: true,
		fail: func(err error) error { return err }}
	stats, err := b.dryRun(ctx, w)
	if err == nil {
		err = onlyReads(stats, given, under.reads)
	}
	if err == nil && len(stats.ReferencedTables) == 0 {
		err = rejected(api.KindTablesUnknown, "BigQuery does not list the tables that the statement reads")
	}
	if err == nil {
		err = b.throughViews(ctx, s, bodies, under, given, account)
	}
	if err != nil {
		return work{}, nil, err
	}
	return w, stats, travels(stats.Schema)
}

// travels refuses results with columns that Arrow or parquet cannot hold. They are
// not cast, because a cast around the statement would lose its order.
func travels(schema bigquery.Schema) error {
	var names []string
	for _, f := range schema {
		if unfit(f) != "" {
			names = append(names, quote(f.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &api.Error{Code: api.CodeStatement, Kind: api.KindType,
		Message: "columns of the result do not travel: " + strings.Join(names, ", "),
		Hint:    "Cast them in the statement: CAST(… AS STRING), or TO_JSON_STRING(…) for nested ones."}
}
