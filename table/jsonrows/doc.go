// Package jsonrows finds the rows in a JSON text, one at a time.
//
// A row is an object. Objects can be JSON lines, the elements of one array, or
// the features of a GeoJSON collection. Each is returned as one line of JSON, so
// that a reader of JSON lines can read all these formats. Memory depends on the
// longest row, not on the text.
//
// Values are not parsed, but their nesting depth is checked, because recursive
// engines run out of stack. Numbers that a float would change are recorded,
// because engines read most numbers as floats.
//
// The package must not know files, engines or column types.
package jsonrows
