package bigquery

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// tableName names a table or a view.
type tableName struct {
	project, dataset, table string
	at                      string // the time as of which it is read, in UTC; empty: now
}

// name parses a relation: table, dataset.table or project.dataset.table, and after an @
// the time whose state of the table is read. It is parsed from the end, because old project names
// contain a dot.
func (o Options) name(relation string) (tableName, error) {
	n := tableName{project: o.Project, dataset: o.Dataset}
	rest, version, dated := strings.Cut(relation, "@")
	if dated {
		at, err := timeOf(version)
		if err != nil {
			return n, err
		}
		n.at = at
	}
	cut := func(into *string) bool {
		i := strings.LastIndexByte(rest, '.')
		*into = rest[i+1:]
		rest = rest[:max(i, 0)]
		return i >= 0
	}
	if cut(&n.table) && cut(&n.dataset) {
		n.project = rest
	}
	if n.project == "" || n.dataset == "" || n.table == "" || strings.ContainsAny(relation, "`\\\x00") {
		return n, &api.Error{Code: api.CodeSource, Kind: api.KindBadPath,
			Message: fmt.Sprintf("the relation %s does not name a table of BigQuery", relation),
			Hint:    "The operator must write it as table (with a dataset in the source), dataset.table or project.dataset.table."}
	}
	return n, nil
}

// nameOf returns the name of a table in an answer of BigQuery.
func nameOf(t *bigquery.Table) tableName {
	return tableName{project: t.ProjectID, dataset: t.DatasetID, table: t.TableID}
}

// sql is the name in a statement, with each part quoted separately.
func (n tableName) sql() string {
	q := func(s string) string { return predicate.QuoteIdent(predicate.GoogleSQL, s) }
	return q(n.project) + "." + q(n.dataset) + "." + q(n.table)
}

func (n tableName) String() string { return n.project + "." + n.dataset + "." + n.table }

// key tells what is known of a table now from what is known of it as it was.
func (n tableName) key() string { return n.String() + "@" + n.at }

// from is what a FROM reads, under an alias if that is not empty.
func (n tableName) from(alias string) string {
	sql := n.sql()
	if alias != "" {
		sql += " AS " + alias
	}
	if n.at != "" {
		sql += " FOR SYSTEM_TIME AS OF TIMESTAMP '" + n.at + "'"
	}
	return sql
}

// timeOf reads a version: a time, or the milliseconds since 1970, which need no colon
// in a statement.
func timeOf(version string) (string, error) {
	at, err := time.Parse(time.RFC3339Nano, version)
	if ms, number := strconv.ParseInt(version, 10, 64); err != nil && number == nil {
		at, err = time.UnixMilli(ms), nil
	}
	if at = at.UTC(); err != nil || at.Year() < 1970 || at.Year() > 9999 {
		return "", &api.Error{Code: api.CodeBadRequest, Kind: api.KindAsOf,
			Message: fmt.Sprintf("a table of BigQuery has no version %s", api.Clip(version, 80)),
			Hint:    "Name a time with its zone, as in orders@2026-01-31T18:00:00Z, or the milliseconds since 1970. BigQuery keeps seven days, or what the dataset's max_time_travel_hours says."}
	}
	return at.Format("2006-01-02 15:04:05.999999+00:00"), nil
}
