// Package predicate is the WHERE language. It parses the text of a predicate in
// one of several SQL dialects (package syntax) into a typed tree of operations, and
// checks names, functions and types against a schema. Package print writes the tree
// for an engine.
//
// The user's text never reaches an engine: a printer quotes every identifier,
// re-encodes every literal, and knows only the operations of the catalogue. What
// the parser does not understand is rejected with a kind, a position, and the
// correct spelling.
//
// The package does no input or output, keeps no state, and of this module imports
// only api and small packages for words.
package predicate
