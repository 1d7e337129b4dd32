// Package delta is the source that reads Delta tables in a folder.
//
// A table's log is replayed here, from its last checkpoint on: which files count,
// which of their rows are deleted, and what their columns are called. Nothing is
// ever written, and a table that uses what is not known here is refused by the
// name of that.
package delta
