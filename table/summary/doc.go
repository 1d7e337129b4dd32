// Package summary computes statistics of columns exactly, in one pass over their
// rows.
//
// Add keeps the values of each column one behind the other, in memory as long as
// they are few and then in a file. Columns takes one column after the other:
// numbers and moments are sorted, texts are counted in a hash table. What is too
// much for memory is sorted in runs that are merged, or counted in parts. Memory
// depends neither on the number of rows nor on that of different values.
//
// The figures are those of the query engine, which a test compares.
//
// The package must not know where rows come from, or how figures are shown.
package summary
