package duckdb

import "strings"

// IsFloat reports whether a column's type, as the engine writes it, is one of the
// floats.
func IsFloat(typ string) bool { return typ == "FLOAT" || typ == "DOUBLE" }

// RowByRow returns from, which reads parquet files, as a relation with the same
// rows on which the engine tests conditions on the named columns, of floats, row by
// row. By itself it first asks a file's statistics, which leave out NaN although
// NaN is greater than all others, and its Bloom filters, which tell 0 from -0
// although these are equal: rows would be missing. So each value is the difference
// of itself and 0, which is the same value, for NaN and -0 too. virtual are columns
// that * does not have.
func RowByRow(from string, floats, virtual []string) string {
	if len(floats) == 0 {
		return from
	}
	items := make([]string, len(floats))
	for i, name := range floats {
		items[i] = Quote(name) + " - 0 AS " + Quote(name)
	}
	return "(SELECT " + strings.Join(append([]string{"* REPLACE (" + strings.Join(items, ", ") + ")"}, virtual...), ", ") + " FROM " + from + ")"
}
