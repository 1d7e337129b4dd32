// Package mysql is the source that reads MariaDB.
//
// Its tables are described, and predicates on them written, in DuckDB's
// dialect; the engine runs what package predicate prints for it. Texts come out
// of the engine with one collation, by code point and without padding, so that
// they compare as the language says and not as each column was declared.
package mysql
