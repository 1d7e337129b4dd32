// Package clickhouse is the source that reads ClickHouse over its HTTP interface.
//
// Tables are described, and predicates on them written, in DuckDB's dialect; package
// predicate prints them for the engine. Rows come as an Arrow stream. Types whose Arrow
// form would be wrong are cast in the statement.
package clickhouse
