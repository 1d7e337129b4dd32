// Package infer determines the types of the columns of a text table from all
// their cells, and converts cells to values of these types.
//
// A column has a type only if every cell fits it, so that no information is lost.
// The package reports what prevented a type that nearly all cells have, and every
// decision that could have been made differently. It must not read files, and
// does not know how records are delimited.
package infer
