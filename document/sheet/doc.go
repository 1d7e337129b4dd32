// Package sheet reads workbooks (.xlsx, .xlsm) by sheets, ranges and cells, and
// changes them: cells, formulas, formats, rows, filters and whole sheets.
//
// Sheets are rewritten as streams, row by row, so that large ones need little
// memory, and what an operation does not touch keeps its bytes: styles, charts,
// pictures, names, filters and macros stay. All operations of a call are applied, or
// none. The package must not calculate: formulas keep the values that they had until
// a program that calculates opens the workbook, and that is said. Texts never become
// formulas unless a formula is asked for.
package sheet
