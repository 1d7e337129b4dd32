// Package house holds the tests of the rules that hold for the whole tree: who may
// import whom, what a package must say about itself, what may not be committed.
// It has no code.
package house
