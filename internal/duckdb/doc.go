// Package duckdb is the only door to the DuckDB engine: it opens instances,
// runs statements of ours, streams results out as Arrow and Arrow in.
package duckdb
