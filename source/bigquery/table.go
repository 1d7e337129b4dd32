package bigquery

import (
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// table describes a table or a view, as BigQuery reports it.
type table struct {
	name        tableName
	description string
	columns     []column
	// pseudo are the columns of a table partitioned by ingestion time that SELECT
	// * leaves out. A result cannot have columns with their names.
	pseudo      []api.Column
	partitionBy []string
	parting     *parting // nil: it is not partitioned by a column
	clusteredBy []string
	foreignKeys []source.ForeignKey
	rows, bytes *int64 // nil: unknown
	version     string // empty: unknown
	derived     bool   // a view or a materialized view
	view        bool
	needsFilter bool
	readAt      time.Time
}

// tableOf converts the answer of tables.get.
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
	// Rows in a streaming buffer are not counted, and external files can change
	// without BigQuery noticing.
	if (m.Type == bigquery.RegularTable || m.Type == bigquery.Snapshot) && m.StreamingBuffer == nil {
		rows, bytes := int64(m.NumRows), m.NumBytes
		t.rows, t.bytes = &rows, &bytes
		t.version = fmt.Sprintf("%d %s", m.LastModifiedTime.UnixMilli(), m.ETag)
	}
	return t
}

// keysOf are the foreign keys that a table declares; BigQuery enforces none.
func (o Options) keysOf(m *bigquery.TableMetadata) (keys []source.ForeignKey) {
	if m.TableConstraints == nil {
		return nil
	}
	for _, k := range m.TableConstraints.ForeignKeys {
		to := nameOf(k.ReferencedTable)
		key := source.ForeignKey{To: []string{to.String()}}
		if to.project == o.Project {
			key.To = append(key.To, to.dataset+"."+to.table)
			if to.dataset == o.Dataset {
				key.To = append(key.To, to.table)
			}
		}
		for _, c := range k.ColumnReferences {
			key.Pairs = append(key.Pairs, api.ColumnPair{Column: c.ReferencingColumn, ToColumn: c.ReferencedColumn})
		}
		if len(key.Pairs) > 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

// partitionTime is the pseudo-column by which a table is partitioned if it names
// no column of its own for that.
const partitionTime = "_PARTITIONTIME"

// ingested adds the pseudo-columns of a table partitioned by ingestion time. Only
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

// seesAll reports whether nothing of the table is hidden from the caller, who can
// then see BigQuery's own messages about it.
func (t *table) seesAll(rel source.Relation) bool {
	return rel.Rule == nil && len(rel.Masks) == 0 && len(t.visible(rel)) == len(t.columns) && len(t.pseudoOf(rel)) == len(t.pseudo)
}

// checkColumns refuses names that do not exist for the caller. pseudo says whether names
// of pseudo-columns are allowed.
func (t *table) checkColumns(rel source.Relation, names []string, pseudo bool) error {
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

// schema describes what the caller of a relation can see.
func (t *table) schema(rel source.Relation) *source.Schema {
	s := &source.Schema{Description: t.description, Pseudo: t.pseudo, Version: t.version, AsOf: t.readAt,
		PartitionBy: t.partitionBy, ClusteredBy: t.clusteredBy, ForeignKeys: t.foreignKeys, RowCount: t.rows, SizeBytes: t.bytes}
	for _, c := range t.columns {
		s.Columns = append(s.Columns, c.Column)
	}
	return s.Of(rel)
}
