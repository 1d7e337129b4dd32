// Package bqtest is a BigQuery for tests, in process: the REST API and the
// Storage Read API as far as the source uses them, over real rows in DuckDB.
//
// It runs the SQL that it is given: parsed by memefish, which is not ours,
// typed by the tables' columns, translated and executed. What it cannot run it
// refuses, and says so in Refused; it never answers from a list. It bills,
// labels, prunes and grants nothing: those parts of the real service are only
// checked for their form. docs/bigquery.md says what that leaves untested.
//
// No package but tests may import it.
package bqtest
