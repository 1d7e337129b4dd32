// Package delimited reads records from delimited text that is already UTF-8.
//
// It is for files as people send them: it keeps every record, mends broken
// quoting line by line where the number of columns tells what was meant, and
// marks what it mended. It works on blocks and hands out byte slices, so that
// reading allocates nothing per field.
//
// It must not guess a dialect, decode an encoding or give meaning to a field:
// packages dialect, encoding and infer do.
package delimited
