// Package trino is the source that reads Trino over its client protocol: a statement is
// posted, and its pages of JSON rows are got one after the other.
//
// Tables are described, and predicates on them written, in DuckDB's dialect; package
// predicate prints them for the engine. Rows are read from the pages by a scanner of
// the package's own, straight into Arrow: in the pages or, if the dsn says so, in
// segments that the engine leaves in a store of its own.
package trino
