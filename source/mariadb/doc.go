// Package mariadb is the source that reads MariaDB.
//
// Tables are described, and predicates on them written, in DuckDB's dialect;
// package predicate prints them for the engine. All texts are read with one
// collation, by code point and without padding. They therefore compare as DuckDB's
// language says, not as each column was declared.
package mariadb
