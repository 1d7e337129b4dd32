// Package warehouse proves that a whole statement in the SQL of BigQuery, ClickHouse,
// Spark or Trino is a single SELECT over tables with one-word names, and determines
// which. It has its own grammar, and rejects what is not in it: any clause, type or
// function that is not known to be harmless.
//
// It runs nothing, looks up nothing and decides nothing about rights. Where that
// is harmless, the grammar accepts more than the engine; for example, it ignores
// the precedence of operators. The engine rejects the rest. BigQuery, whose dry run
// tells what a statement reads, is sent the text itself. For the others a statement
// is printed anew, so that they read no text that was not understood.
//
// allowed.txt lists the functions that a statement of BigQuery can call, and
// clickhouse.txt, spark.txt and trino.txt those of the others.
package warehouse
