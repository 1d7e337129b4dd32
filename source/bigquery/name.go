package bigquery

import (
	"fmt"
	"strings"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// tableName names a table or a view.
type tableName struct{ project, dataset, table string }

// name parses a relation: table, dataset.table or project.dataset.table. It is
// parsed from the end, because old project names contain a dot.
func (o Options) name(relation string) (tableName, error) {
	n := tableName{project: o.Project, dataset: o.Dataset}
	rest := relation
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
func nameOf(t *bigquery.Table) tableName { return tableName{t.ProjectID, t.DatasetID, t.TableID} }

// sql is the name in a statement, with each part quoted separately.
func (n tableName) sql() string {
	q := func(s string) string { return predicate.QuoteIdent(predicate.GoogleSQL, s) }
	return q(n.project) + "." + q(n.dataset) + "." + q(n.table)
}

func (n tableName) String() string { return n.project + "." + n.dataset + "." + n.table }
