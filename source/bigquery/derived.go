package bigquery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/statement/warehouse"
)

// A dry run may report the tables below a view instead of the view. A statement
// over a view then seems to read tables that the caller has not been given. Three
// dry runs, which cost nothing, prove that it reads them through the view only:
//
//  1. SELECT * FROM the view tells its columns and the tables below it, now.
//  2. The statement itself, with the view under its name in the catalog, may
//     read these and the tables that the caller was given, and no others.
//  3. The statement once more, with nothing in the place of the view but NULLs
//     of the same columns and types, may read what the caller was given, and no
//     others.
//
// The meaning of a name in the statement depends on the names bound before it and
// on their columns, which are the same in 2 and 3. So a table that the statement
// itself reaches, however it is spelled and also through another view, is reached
// in 3 too, and reported there. What only 2 reports is reached through the view.
// As for tables, this relies on dry runs reporting all tables that a statement
// names, even if their rows are not needed. As a second barrier, a statement
// cannot contain the name of a table below a view.

// below are the tables below the views of a statement.
type below struct {
	reads map[string]bool
	stubs map[string]string // for each name, a query of the same columns that reads nothing
}

// lookBelow asks BigQuery which tables are below the views.
func (b *BigQuery) lookBelow(ctx context.Context, bound map[string]*table, account source.Account) (below, error) {
	out := below{reads: map[string]bool{}, stubs: map[string]string{}}
	for name, t := range bound {
		if !t.derived {
			continue
		}
		stats, err := b.dryRun(ctx, work{sql: "SELECT * FROM " + t.name.from(""), what: "the view " + t.name.String(), account: account,
			fail: func(err error) error { return err }})
		switch {
		case api.CodeQueryFailed.Is(err):
			return out, partOfTable(name, "it is a view, and BigQuery does not list the tables below it", err)
		case err != nil:
			return out, err
		case len(stats.ReferencedTables) == 0 || len(stats.ReferencedTables) >= maxReferenced:
			return out, partOfTable(name, "it is a view, and BigQuery does not list the tables below it", nil)
		}
		for _, r := range stats.ReferencedTables {
			out.reads[nameOf(r).String()] = true
		}
		out.stubs[name] = stub(stats.Schema)
	}
	return out, nil
}

// bare removes the parameters of a type, which a cast of NULL does not need.
func bare(*bigquery.FieldSchema) string { return "" }

// stub is a query that returns the columns without reading anything.
func stub(schema bigquery.Schema) string {
	list := make([]string, len(schema))
	for i, f := range schema {
		list[i] = "CAST(NULL AS " + spelled(f, quote, bare) + ") AS " + quote(f.Name)
	}
	return "SELECT " + strings.Join(list, ", ")
}

// throughViews proves that a statement reads the tables below views only through
// the views. given are the tables that it may read directly.
func (b *BigQuery) throughViews(ctx context.Context, s *warehouse.Select, bodies map[string]string, under below, given map[string]bool,
	account source.Account) error {
	if len(under.stubs) == 0 {
		return nil
	}
	if spells(s, under.reads) {
		return otherTable()
	}
	probe := make(map[string]string, len(bodies))
	for name, body := range bodies {
		probe[name] = body
		if empty, ok := under.stubs[name]; ok {
			probe[name] = empty
		}
	}
	stats, err := b.dryRun(ctx, work{sql: s.Bind(probe), what: "the tables of the statement", account: account,
		fail: func(err error) error { return err }})
	if err != nil {
		return err
	}
	return onlyReads(stats, given)
}

// onlyReads refuses a statement that reads any other table.
func onlyReads(stats *bigquery.QueryStatistics, allowed ...map[string]bool) error {
	if stats.StatementType != "SELECT" {
		return rejected(api.KindNotSelect, "only a SELECT is run for others")
	}
	if len(stats.ReferencedTables) >= maxReferenced {
		return rejected(api.KindTablesUnknown, "BigQuery does not list the tables that the statement reads")
	}
	for _, t := range stats.ReferencedTables {
		name := nameOf(t).String()
		if !slices.ContainsFunc(allowed, func(set map[string]bool) bool { return set[name] }) {
			return otherTable()
		}
	}
	return nil
}

func rejected(kind, message string) error {
	return &api.Error{Code: api.CodeStatement, Kind: kind, Message: message,
		Hint: "A remote query on BigQuery is one SELECT over tables of the catalog."}
}

func otherTable() error {
	return rejected(api.KindOtherTable, "the statement reads a table that it does not name as the catalog does")
}

func partOfTable(name, why string, err error) error {
	return &api.Error{Code: api.CodeStatement, Kind: api.KindPartOfTable, Err: err,
		Message: fmt.Sprintf("%s cannot be read by a statement: %s", name, why),
		Next:    []api.Step{api.Do(api.ActionFetch, "get what you need instead", "table_id", name)}}
}

// spells reports whether a statement contains the name of one of the tables after
// a dot, as part of a longer name.
func spells(s *warehouse.Select, tables map[string]bool) bool {
	last := map[string]bool{}
	for t := range tables {
		last[strings.ToLower(t[strings.LastIndexByte(t, '.')+1:])] = true
	}
	return s.Names(last)
}
