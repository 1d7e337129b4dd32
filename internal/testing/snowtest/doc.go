// Package snowtest starts a fake of Snowflake, fakesnow of PyPI, which runs statements on
// DuckDB: it shows logins, Arrow and the catalog, and neither cost nor stopping.
//
// It is for tests only.
package snowtest
