// Package syntax splits SQL into tokens and parses predicates into a tree that
// knows neither names nor types. What it does not understand is a Fault with a
// kind, a position and the correct spelling.
package syntax
