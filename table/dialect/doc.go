// Package dialect guesses how a text table is written from its first part: the
// delimiter, quotes, escapes and comments, where the table starts, and whether
// it has a header.
//
// Every reading that the text allows is tried with the real reader, and the
// one that gives the most regular table of the most recognisable cells wins.
// The package must not read files, nor decide types.
package dialect
