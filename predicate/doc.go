// Package predicate is the WHERE language. It parses the text of a predicate in
// one of several SQL dialects into a typed tree of operations, checks names,
// functions and types against a schema, and prints the tree for an engine.
//
// The user's text never reaches an engine: a printer quotes every identifier,
// re-encodes every literal, and knows only the operations of the catalogue. What
// the parser does not understand is rejected with a kind, a position, and the
// correct spelling.
//
// An operation has one meaning, however it is spelled. It is printed for another
// engine only if that engine has the same meaning or can express it; otherwise it
// is rejected as not_portable.
//
// The package does no input or output, keeps no state, and of this module imports
// only api.
package predicate
