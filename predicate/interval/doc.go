// Package interval tells what a predicate can make of a group of rows of which
// only the least and greatest values and the NULLs are known: for how many rows
// it is TRUE, FALSE and NULL. What it says is certain; where it cannot be, it
// says less.
package interval
