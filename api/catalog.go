package api

import (
	"strings"
	"time"
)

// SourceType names the kind of engine that stores a table. An instance can give a
// lake table another label.
type SourceType string

// The source types that da can read.
const (
	SourceLake       SourceType = "lake"
	SourcePostgres   SourceType = "postgres"
	SourceBigQuery   SourceType = "bigquery"
	SourceFlight     SourceType = "flightsql"
	SourceMariaDB    SourceType = "mariadb"
	SourceDelta      SourceType = "delta"
	SourceIceberg    SourceType = "iceberg"
	SourceDuckDB     SourceType = "duckdb"
	SourceSQLite     SourceType = "sqlite"
	SourceClickHouse SourceType = "clickhouse"
	SourceSpark      SourceType = "spark"
	SourceDatabricks SourceType = "databricks"
	SourceTrino      SourceType = "trino"
	SourceSnowflake  SourceType = "snowflake"
)

// QueryMode says where queries on a table run.
type QueryMode string

const (
	// ModeRemote tables stay at the source; clients fetch parts of them.
	ModeRemote QueryMode = "remote"
	// ModeLocal tables are synced to the client as a whole.
	ModeLocal QueryMode = "local"
)

// TableList is the answer of GET /api/v2/catalog.
type TableList struct {
	Tables     []Table   `json:"tables"`
	ServerTime time.Time `json:"server_time"` // UTC
}

// Table is one catalog entry.
type Table struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"` // for display; defaults to the id
	Description   string     `json:"description"`
	SourceType    SourceType `json:"source_type"`
	QueryMode     QueryMode  `json:"query_mode"`
	SQLFlavor     string     `json:"sql_flavor"` // dialect of WHERE and of remote statements
	WhereExamples []string   `json:"where_examples"`
	FetchVia      string     `json:"fetch_via"`
	RoughSizeHint *string    `json:"rough_size_hint"`    // the next two in words; null: unknown
	RowCount      *int64     `json:"row_count"`          // null: unknown
	SizeBytes     *int64     `json:"size_bytes"`         // stored bytes; null: unknown
	AsOf          *time.Time `json:"as_of,omitempty"`    // when the source was last asked about the table, UTC; absent: just now, or never
	RowRule       bool       `json:"row_rule,omitempty"` // see RowRuleWarning
}

// TableSchema is the answer of GET /api/v2/schema/{table_id}.
type TableSchema struct {
	TableID           string            `json:"table_id"`
	SourceType        SourceType        `json:"source_type"`
	SQLFlavor         string            `json:"sql_flavor"`
	EngineFlavor      string            `json:"engine_flavor,omitempty"` // the dialect that predicates are translated to for the engine; absent: sql_flavor
	Description       string            `json:"description,omitempty"`
	Columns           []Column          `json:"columns"`
	PseudoColumns     []Column          `json:"pseudo_columns,omitempty"`      // can be used in predicates and orders, but not selected
	PartitionBy       []string          `json:"partition_by"`                  // never null
	ClusteredBy       []string          `json:"clustered_by"`                  // never null
	RowCount          *int64            `json:"row_count"`                     // null: unknown
	EstimatedRowCount *int64            `json:"estimated_row_count,omitempty"` // the engine's own estimate; absent: the engine has no estimate, or row_count is known
	SizeBytes         *int64            `json:"size_bytes"`                    // stored bytes; null: unknown
	FileFormat        string            `json:"file_format,omitempty"`         // of a lake's table: parquet, csv, tsv or jsonl
	WhereDialectHints map[string]string `json:"where_dialect_hints"`
	AsOf              *time.Time        `json:"as_of,omitempty"`    // when a source with a cache was last asked, UTC; absent: now
	RowRule           bool              `json:"row_rule,omitempty"` // see RowRuleWarning
	// ForeignKeys are those to tables and columns that the caller may read.
	ForeignKeys []ForeignKey `json:"foreign_keys,omitempty"`
	// Notes are what people wrote of the table and of these columns.
	Notes []Note `json:"notes,omitempty"`
	// Caveats say what was guessed or left out where the table's files were read.
	Caveats []Caveat `json:"caveats,omitempty"`
}

// ForeignKey says that each value of a column is in a column of another table, where it
// occurs once. Of a key with More, this holds for the values of all its columns together.
type ForeignKey struct {
	Column   string `json:"column"`
	Table    string `json:"table"` // of the catalog
	ToColumn string `json:"to_column"`
	// More are the further columns of the key.
	More []ColumnPair `json:"more,omitempty"`
}

// Pairs are all pairs of columns of the key.
func (k ForeignKey) Pairs() []ColumnPair {
	return append([]ColumnPair{{k.Column, k.ToColumn}}, k.More...)
}

// String writes the key as a condition.
func (k ForeignKey) String() string {
	var all []string
	for _, p := range k.Pairs() {
		all = append(all, p.Column+" = "+k.Table+"."+p.ToColumn)
	}
	return strings.Join(all, " AND ")
}

// Column describes a column or, inside Fields, a field of a nested type.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // the engine's own name, e.g. DECIMAL(18,3) or STRUCT(a INTEGER)
	Nullable    bool   `json:"nullable"`
	Description string `json:"description,omitempty"`
	// Collation is the rule by which the source compares text, if under it
	// different texts can be equal; otherwise empty.
	Collation string `json:"collation,omitempty"`
	// Masked says what the caller sees in place of the values, as Masks do; empty: the
	// values. A masked column can be selected and nothing else.
	Masked string `json:"masked,omitempty"`
	// DateOrder is how a file writes the column's dates if not as 2024-01-31: D/M/Y or
	// M/D/Y. DateGuessed says that its dates do not prove it.
	DateOrder   string `json:"date_order,omitempty"`
	DateGuessed bool   `json:"date_order_guessed,omitempty"`
	// Fields are the fields of a struct, or of the structs in a list.
	Fields []Column `json:"fields,omitempty"`
}

// ColumnName is the column's name, also of what embeds it.
func (c Column) ColumnName() string { return c.Name }

// Bounds on the rows of a sample.
const (
	DefaultSampleRows = 5
	MaxSampleRows     = 100
)

// Sample is the answer of GET /api/v2/sample/{table_id}. Row values are JSON
// values as docs/types.md maps them.
type Sample struct {
	TableID string     `json:"table_id"`
	Columns []string   `json:"columns"` // in column order, which JSON objects do not keep
	Rows    []Row      `json:"rows"`
	Source  SourceType `json:"source"`
	RowRule bool       `json:"row_rule,omitempty"` // see RowRuleWarning
	// Caveats come from the source, such as what reading the file passed over.
	Caveats []Caveat `json:"caveats"` // never null
}

// RowRuleWarning goes with every answer under a row rule, whether or not the rule
// hides any rows. It depends on grants alone, so it reveals nothing about hidden
// rows.
const RowRuleWarning = "a rule limits which rows you may read here; there may be rows that do not show"

// RowRuleCaveat is RowRuleWarning as a caveat.
func RowRuleCaveat() Caveat {
	return Caveat{Kind: CaveatHidden, Reason: "row_rule", Text: RowRuleWarning}
}
