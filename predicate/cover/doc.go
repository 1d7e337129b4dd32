// Package cover proves how the rows of two predicates on one table relate:
// whether one selects the same rows as the other, or only rows that the other
// selects too. A proof holds for every row that there can be, under SQL's three
// values; what cannot be proven is not claimed. It runs nothing and asks nobody.
//
// The values of a column are cut into cells: NULL, each constant that the
// predicates compare it with, and what lies between these. Within a cell no test
// can tell two values apart, so a predicate is a condition on cells, and "asked
// but not held" either has a combination of cells or has not. Tests that are not
// understood, such as functions of two columns, are variables of their own with
// the cells TRUE, FALSE and NULL; two of them are the same only if they are
// written alike, and one that asks the clock is like no other.
//
// The subsumption tests of Goldstein and Larson, "Optimizing Queries Using
// Materialized Views" (SIGMOD 2001), are the model.
package cover
