package bigquery

import (
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// table is what BigQuery says of a table or a view.
type table struct {
	name        tableName
	description string
	columns     []column
	// pseudo are columns that SELECT * leaves out and that a result cannot have
	// under their names: those of a table partitioned by ingestion time.
	pseudo      []api.Column
	partitionBy []string
	parting     *parting // nil: it is not partitioned by a column
	clusteredBy []string
	rows, bytes *int64 // nil: unknown
	version     string // empty: it cannot be told
	derived     bool   // its rows are those of other tables: a view, materialized or not
	view        bool
	needsFilter bool
	readAt      time.Time
}

// tableOf reads the answer of tables.get.
func tableOf(name tableName, m *bigquery.TableMetadata, readAt time.Time) *table {
	t := &table{name: name, description: m.Description, needsFilter: m.RequirePartitionFilter, readAt: readAt}
	for _, f := range m.Schema {
		t.columns = append(t.columns, columnOf(f))
	}
	if p := m.TimePartitioning; p != nil {
		t.needsFilter = t.needsFilter || p.RequirePartitionFilter
		t.partitionBy = []string{p.Field}
		if p.Field == "" {
			t.ingested(p.Type)
		} else {
			t.parting = t.partingBy(p.Field)
			t.parting.by, t.parting.expires = p.Type, p.Expiration
		}
	}
	if p := m.RangePartitioning; p != nil {
		t.partitionBy = []string{p.Field}
		if p.Range != nil {
			t.parting = t.partingBy(p.Field)
			t.parting.width = p.Range.Interval
		}
	}
	if m.Clustering != nil {
		t.clusteredBy = slices.Clone(m.Clustering.Fields)
	}
	t.view = m.Type == bigquery.ViewTable
	t.derived = t.view || m.Type == bigquery.MaterializedView
	// Rows that wait in a streaming buffer are not counted, and files outside
	// of BigQuery change without it.
	if (m.Type == bigquery.RegularTable || m.Type == bigquery.Snapshot) && m.StreamingBuffer == nil {
		rows, bytes := int64(m.NumRows), m.NumBytes
		t.rows, t.bytes = &rows, &bytes
		t.version = fmt.Sprintf("%d %s", m.LastModifiedTime.UnixMilli(), m.ETag)
	}
	return t
}

// partitionTime is the pseudo-column that a table is partitioned by if none of
// its own is.
const partitionTime = "_PARTITIONTIME"

// ingested gives a table partitioned by ingestion time its pseudo-columns; only
// daily partitions have a date.
func (t *table) ingested(by bigquery.TimePartitioningType) {
	t.partitionBy = []string{partitionTime}
	t.pseudo = []api.Column{{Name: partitionTime, Type: "TIMESTAMP", Nullable: true,
		Description: "When the row was loaded, down to its partition, in UTC; NULL while it waits to be stored"}}
	if by == bigquery.DayPartitioningType || by == "" {
		t.pseudo = append(t.pseudo, api.Column{Name: "_PARTITIONDATE", Type: "DATE", Nullable: true, Description: "The date of " + partitionTime})
	}
}

// pseudoOf are the pseudo-columns that exist for the caller of a relation.
func (t *table) pseudoOf(rel source.Relation) []api.Column {
	if rel.Columns != nil {
		return nil
	}
	return t.pseudo
}

func (t *table) column(name string) (*column, bool) {
	for i := range t.columns {
		if t.columns[i].Name == name {
			return &t.columns[i], true
		}
	}
	return nil, false
}

// visible are the columns that exist for the caller of a relation.
func (t *table) visible(rel source.Relation) []*column {
	var out []*column
	for i := range t.columns {
		if rel.Sees(t.columns[i].Name) {
			out = append(out, &t.columns[i])
		}
	}
	return out
}

// seesAll says that nothing of the table is hidden from the caller, who may
// then read BigQuery's own words about it.
func (t *table) seesAll(rel source.Relation) bool {
	return rel.Rule == nil && len(t.visible(rel)) == len(t.columns) && len(t.pseudoOf(rel)) == len(t.pseudo)
}

// known refuses names that do not exist for the caller. pseudo says whether they
// may be of pseudo-columns.
func (t *table) known(rel source.Relation, names []string, pseudo bool) error {
	for _, n := range names {
		if pseudo && slices.ContainsFunc(t.pseudoOf(rel), func(c api.Column) bool { return c.Name == n }) {
			continue
		}
		if _, ok := t.column(n); !ok || !rel.Sees(n) {
			return &api.Error{Code: api.CodeUnknownColumn, Message: fmt.Sprintf("there is no column '%s'", n),
				Details: map[string]any{"column": n}}
		}
	}
	return nil
}

// schema is what the caller of a relation may know.
func (t *table) schema(rel source.Relation) *source.Schema {
	s := &source.Schema{Description: t.description, Pseudo: t.pseudo, Version: t.version, AsOf: t.readAt,
		PartitionBy: t.partitionBy, ClusteredBy: t.clusteredBy, RowCount: t.rows, SizeBytes: t.bytes}
	for _, c := range t.columns {
		s.Columns = append(s.Columns, c.Column)
	}
	return s.Of(rel)
}
