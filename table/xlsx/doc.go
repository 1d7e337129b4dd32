// Package xlsx reads the cells of a worksheet as a stream and writes tables as
// workbooks.
//
// The reader scans the XML of a sheet byte by byte: memory grows with the
// workbook's shared strings, not with its rows. It takes nothing on trust:
// sizes are bounded, document types and entities of their own are refused.
// The package must not guess what a sheet means; it hands out cells as text in
// one form per kind.
package xlsx
