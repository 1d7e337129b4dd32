// Package fit makes answers of a bounded size out of results of any size, for
// readers who pay for every byte. It reads a stream of Arrow batches once and
// keeps as many rows as fit, folds columns with one value throughout, cuts long
// cells, and accounts exactly for what it leaves out: the number of rows, and of
// each column nulls, smallest, largest and distinct values and the sum.
//
// It must not touch files, engines or networks, and must not leave anything out
// without saying so. Memory is bounded by the budget and the number of columns,
// never by the number of rows.
//
// # The answer
//
// Truncated is false only if Rows, with Constant, are the whole result. A value
// of a cell is written as everywhere else (see arrowjson). A cell that is cut is
// an object with its first characters and its length in characters:
//
//	{"start": "Once upon a ti", "chars": 120345}
//
// A token is counted as four bytes of JSON.
package fit
