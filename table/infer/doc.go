// Package infer decides what the columns of a text table hold, by the evidence
// of all their cells, and turns cells into values of the type decided.
//
// A type is given only where every cell has it: nothing that a file says is
// lost. What kept a column from a type that nearly all of its cells have is
// reported, as is every choice that could have gone another way. The package
// must not read files, nor know how records are delimited.
package infer
