// Package xlsx reads the cells of a worksheet as a stream and writes tables as
// workbooks.
//
// The reader scans the XML of a sheet byte by byte: memory grows with the
// workbook's shared strings, not with its rows. It does not trust its input:
// sizes are limited, and document types and custom entities are rejected. The
// package must not guess what a sheet means; it returns cells as text in one form
// per kind.
package xlsx
