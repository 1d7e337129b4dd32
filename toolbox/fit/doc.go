// Package fit makes answers of limited size from results of any size, for readers
// who pay for every byte. It reads a stream of Arrow batches once and keeps as
// many rows as fit. It folds columns with a single value, cuts long cells, and
// reports exactly what it leaves out: the number of rows and, for each column,
// nulls, smallest, largest and distinct values and the sum.
//
// It must not touch files, engines or networks, and must not leave anything out
// without saying so. Its memory is limited by the budget and the number of
// columns, never by the number of rows.
//
// # The answer
//
// Truncated is false only if Rows, with Constant, are the whole result. Cell
// values are written as everywhere else (see arrowjson). A cut cell is an object
// with its first characters and its length in characters:
//
//	{"start": "Once upon a ti", "chars": 120345}
//
// A token counts as four bytes of JSON.
package fit
