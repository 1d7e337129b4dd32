// Package sourcetest is what every source must pass: a suite that runs against
// any implementation of source.Source. A fault found in one source becomes a
// case here, for all.
//
// It is for tests only. It knows no source, and says what a table holds in
// kinds of values, so that each source's own test decides how to store them.
package sourcetest
