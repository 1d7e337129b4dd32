// Package dbfile reads the tables of a database file, of DuckDB or of SQLite. Views
// and virtual tables are left out: they run what somebody else wrote.
//
// Each request reads the file in a process of its own, so that a damaged one harms
// no other request. A file of DuckDB is attached there read-only, which keeps its
// writer out for as long as the request lasts. A table of SQLite is copied into the
// engine, whose predicates and statements then run on it; see package sqliterows.
package dbfile
