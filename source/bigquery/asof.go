package bigquery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

var _ source.Traveller = (*BigQuery)(nil)

// At implements source.Traveller.
func (b *BigQuery) At(relation, version string) (string, error) {
	if strings.Contains(relation, "@") {
		return "", &api.Error{Code: api.CodeBadRequest, Kind: api.KindAsOf,
			Message: fmt.Sprintf("the instance offers this table as of one version, and not as of %s", version),
			Hint:    "Ask for the table without a version."}
	}
	_, err := timeOf(version)
	return relation + "@" + version, err
}

// asItWas describes a table as of a time. Its columns are those of a dry run, which costs
// nothing: tables.get knows those of now. now is what that has said.
func (b *BigQuery) asItWas(ctx context.Context, name tableName, now *bigquery.TableMetadata, readAt time.Time) (*table, error) {
	then := tableOf(name, now, readAt)
	if then.derived || now.Type != bigquery.RegularTable {
		return nil, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound,
			Message: fmt.Sprintf("BigQuery keeps older versions of its own tables only, and %s is another kind", name),
			Hint:    "Ask for the table without a version."}
	}
	sql := "SELECT * FROM " + name.from("")
	if then.needsFilter {
		sql += " WHERE " + predicate.QuoteIdent(predicate.GoogleSQL, then.partitionBy[0]) + " IS NOT NULL"
	}
	s, err := b.dryRun(ctx, work{sql: sql, what: fmt.Sprintf("%s as of %s", name, name.at), fail: func(err error) error { return err }})
	if api.CodeQueryFailed.Is(err) {
		return nil, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound, Err: err,
			Message: fmt.Sprintf("BigQuery does not have %s as of %s", name, name.at),
			Hint:    "It keeps seven days, or what the dataset's max_time_travel_hours says, and nothing from before the table was made."}
	}
	if err != nil {
		return nil, err
	}
	then.columns = nil
	for _, f := range s.Schema {
		then.columns = append(then.columns, columnOf(f))
	}
	// What was does not change. Partitions, and how much there is, are told of now alone.
	then.version = fmt.Sprintf("%d as of %s", now.CreationTime.UnixMilli(), name.at)
	then.rows, then.bytes, then.parting = nil, nil, nil
	return then, nil
}
