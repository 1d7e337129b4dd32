// Package interval determines for how many rows of a group a predicate is TRUE,
// FALSE and NULL, given only the minimum and maximum values and the number of
// NULLs. Its results are certain; where that is impossible, they are less
// precise.
package interval
