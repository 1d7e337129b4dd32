// Package googlesql proves that a whole statement in BigQuery's SQL is one
// SELECT over tables that it names by one word, and says which. It reads the
// statement by a grammar of its own and refuses what is not in that grammar:
// a clause, a type or a function that is not known to be harmless.
//
// It runs nothing, looks nothing up and decides nothing about rights. The
// grammar is wider than BigQuery's where that is harmless: it does not know the
// precedence of operators, for example. BigQuery refuses the rest.
//
// allowed.txt lists the functions that a statement may call.
package googlesql
