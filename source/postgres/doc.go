// Package postgres is a source: tables, views, partitioned and foreign tables
// of a PostgreSQL database. Every request runs in a read-only transaction of
// its own; rows go from the wire straight into Arrow arrays, each column in the
// format, binary or text, that costs the engine less. Large tables are read on
// several connections, which see one snapshot.
//
// It must not write, must not run any text of a user's, and keeps nothing about
// tables between requests.
package postgres
