// Package statement proves that a whole SQL statement is a single SELECT that
// only reads tables, and determines which. It works on the syntax tree of the
// engine's own parser: any kind of node, property or function that it does not
// know is rejected.
//
// It runs only the parser. It does not look up tables, decides nothing about
// rights, and opens no file. The caller resolves every name in Select.Tables, and
// runs the statement in an engine that is also locked down.
//
// allowed.txt lists the functions that a statement can call; refused.txt says why
// the others are rejected. Both are for one release of the engine: a test fails
// if the engine has a function that is in neither.
package statement
