// Package cover proves how the rows of two predicates on one table are related:
// whether they select the same rows, or one selects only rows that the other
// selects, too. A proof holds for every possible row under SQL's three-valued
// logic; it never claims what it cannot prove. It runs no query.
//
// The values of a column are divided into cells: NULL, each constant that the
// predicates compare it with, and the ranges between them. No test can
// distinguish two values in a cell, so a predicate is a condition on cells, and
// "asked but not held" is possible only if some combination of cells satisfies
// it. Tests that the package does not understand, such as functions of two
// columns, are separate variables with the cells TRUE, FALSE and NULL. Two such
// tests are the same only if they are written alike; a test that uses the clock
// equals no other.
//
// It is based on the subsumption tests of Goldstein and Larson, "Optimizing
// Queries Using Materialized Views" (SIGMOD 2001).
package cover
