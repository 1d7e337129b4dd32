// Package delimited reads records from delimited text in UTF-8.
//
// It is for files as people send them: it keeps every record, repairs broken
// quoting line by line if the number of columns shows what was meant, and marks
// what it repaired. It works on blocks and returns byte slices, so that reading
// allocates nothing per field.
//
// It must not guess a dialect, decode an encoding or interpret a field: packages
// dialect, encoding and infer do that.
package delimited
