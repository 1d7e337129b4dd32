// Package summary computes statistics of columns exactly, in one pass over their
// rows.
//
// Add keeps the values of each column one behind the other, in memory as long as
// they are few and then in a file. Columns takes one column after the other:
// numbers and moments are sorted, texts are counted in a hash table. What is too
// much for memory is divided into parts, which are sorted or counted one after the
// other. Memory depends neither on the number of rows nor of different values.
//
// The figures are those of the query engine, which a test compares.
//
// The package must not know where rows come from, or how figures are shown.
package summary
