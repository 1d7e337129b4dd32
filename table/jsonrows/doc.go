// Package jsonrows finds the rows in a JSON text, one at a time.
//
// A row is an object. Objects may follow each other, as they do in JSON lines,
// be the elements of one array, or the features of a GeoJSON collection. Each
// comes out as one line of JSON, so that a reader of JSON lines can take all of
// them. Memory depends on the longest row, not on the text.
//
// Values are not parsed, but how deep they are nested is counted: engines that
// go down level by level run out of stack. So are numbers noted that a float
// changes: engines read most numbers as floats.
//
// The package must not know files, engines or types of columns.
package jsonrows
