// Package postgres proves that a whole statement in PostgreSQL's SQL is a single
// SELECT that only reads tables, determines which, and rewrites it with a
// subquery in place of each table. It works on the syntax tree of the engine's
// own parser: any kind of node, field, type or function that it does not know is
// rejected.
//
// It runs nothing, looks up nothing and decides nothing about rights.
//
// allowed.txt lists the functions that a statement can call. A test checks that
// the engine has each of them and that none modifies anything.
package postgres
