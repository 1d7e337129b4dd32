// Package params fills in the parameters of statements and predicates: $name
// becomes a literal of the text's dialect, generated from the typed value. A
// value cannot break out of its literal. The gates then check the text as if the
// user had written it that way.
//
// The package does not check or run statements.
package params
