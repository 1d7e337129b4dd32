// Package sheet reads workbooks (.xlsx, .xlsm) by sheet, range and cell, and
// changes them: cells, formulas, formats, rows, filters and whole sheets.
//
// Sheets are rewritten as streams, row by row, so large sheets need little
// memory. What an operation does not touch keeps its bytes: styles, charts,
// pictures, names, filters and macros are preserved. Either all operations of a
// call are applied, or none. The package must not calculate: formulas keep their
// old values, and are reported as stale, until a program that calculates opens
// the workbook. A text never becomes a formula unless a formula is asked for.
package sheet
