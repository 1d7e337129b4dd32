// Package chtest starts what stands for ClickHouse in tests: the engine of today behind
// a small server of its own, and Debian's old server. The first shows types, Arrow and
// limits, the second users, read-only statements and how a statement is stopped.
//
// It is for tests only.
package chtest
