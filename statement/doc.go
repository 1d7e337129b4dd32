// Package statement proves that a whole SQL statement is one SELECT that only
// reads tables, and says which. The proof is made on the tree of the engine's
// own parser: whatever the package does not know in that tree, be it a kind of
// node, a property or a function, is refused.
//
// It runs only the parser: it does not look tables up, decides nothing
// about rights, and opens no file. Those who run the statement resolve every
// name in Select.Tables themselves, in an engine that is locked down besides.
//
// allowed.txt lists the functions that a statement may call, refused.txt says
// why the others may not be. Both are made for one release of the engine; a
// test fails when the engine has a function that is in neither.
package statement
