// Package googlesql proves that a whole statement in BigQuery's SQL is a single
// SELECT over tables with one-word names, and determines which. It has its own
// grammar, and rejects what is not in it: any clause, type or function that is
// not known to be harmless.
//
// It runs nothing, looks up nothing and decides nothing about rights. Where that
// is harmless, the grammar accepts more than BigQuery; for example, it ignores
// the precedence of operators. BigQuery rejects the rest.
//
// allowed.txt lists the functions that a statement can call.
package googlesql
