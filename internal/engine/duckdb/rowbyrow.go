package duckdb

import "strings"

// rowByRow has, by types of columns, an expression that is the value itself.
var rowByRow = map[string]string{"FLOAT": " - 0", "DOUBLE": " - 0", "BLOB": " || ''::BLOB"}

// RowByRow returns from, which reads parquet files, as a relation with the same
// rows on which the engine tests conditions on the floats and bytes among columns
// row by row. By itself it first asks a file's statistics, which leave out NaN
// although NaN is greater than all others, and its Bloom filters, which tell 0 from
// -0 although these are equal, and are asked for the text of bytes instead of the
// bytes: rows would be missing. So each value is an expression that it equals: the
// difference of itself and 0, for NaN and -0 too, or itself and no bytes. virtual
// are columns that * does not have.
func RowByRow(from string, columns []Column, virtual []string) string {
	var items []string
	for _, c := range columns {
		if same := rowByRow[c.Type]; same != "" {
			items = append(items, Quote(c.Name)+same+" AS "+Quote(c.Name))
		}
	}
	if len(items) == 0 {
		return from
	}
	return "(SELECT " + strings.Join(append([]string{"* REPLACE (" + strings.Join(items, ", ") + ")"}, virtual...), ", ") + " FROM " + from +
		")"
}
