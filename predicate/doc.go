// Package predicate is the WHERE language: it parses the text of a predicate
// in one of several SQL dialects into a typed tree of operations, checks names,
// functions and types against a schema, and prints the tree again for an
// engine.
//
// The text that a user wrote never reaches an engine: a printer quotes every
// identifier, re-encodes every literal, and knows only the operations of the
// catalogue. What the parser does not understand is refused, with a kind, a
// position, and the right way to write it.
//
// An operation has one meaning, whatever its spelling. Printing it for another
// engine than its own is done where that engine has the same meaning or can
// express it, and refused as not_portable where not.
//
// The package does no input or output, keeps no state, and imports nothing of
// this module but api.
package predicate
