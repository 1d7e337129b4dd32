// Package postgres proves that a whole statement in PostgreSQL's SQL is one
// SELECT that only reads tables, says which, and writes it anew with a subquery
// in the place of each table. The proof is made on the tree of the engine's own
// parser: whatever the package does not know in that tree, be it a kind of
// node, a field of one, a type or a function, is refused.
//
// It runs nothing, looks nothing up and decides nothing about rights.
//
// allowed.txt lists the functions that a statement may call; a test holds that
// the engine has each, and that none of them changes anything.
package postgres
