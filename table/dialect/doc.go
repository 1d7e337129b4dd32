// Package dialect guesses from its start how a text table is written: the
// delimiter, quotes, escapes and comments, where the table starts, and whether it
// has a header.
//
// It tries every plausible dialect with the real reader, and chooses the one with
// the most regular table and the most recognisable cells. The package must not
// read files or decide types.
package dialect
