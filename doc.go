// Package da is the root of the repository. It holds no code, only the tests
// of the rules that hold for the whole tree: who may import whom, what a
// package must say about itself, what may not be committed.
//
// The program is cmd/da; docs/architecture.md shows the way around.
package da
