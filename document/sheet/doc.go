// Package sheet reads workbooks (.xlsx, .xlsm) by sheet, range and cell, and
// changes them: cells, formulas, formats, rows, filters and whole sheets.
//
// Sheets are rewritten as streams, row by row, so large sheets need little
// memory. What an operation does not touch keeps its bytes: styles, charts,
// pictures, names, filters and macros are preserved. Either all operations of a
// call are applied, or none. Formulas that depend on a change are calculated. Where this
// program cannot be sure of a formula, its old value stays, and is reported. A text
// becomes a formula only if a formula is asked for.
package sheet
