// Package params puts the values of parameters into statements and predicates:
// $name becomes a literal of the text's dialect, written anew from the typed
// value. A value never ends a literal, whatever it holds; the gates then read
// the text as if it had been written so.
//
// It judges no statement and runs none.
package params
