// Package trinotest stands for Trino in tests: it plays conversations that were recorded
// with a real server, and records them anew.
//
// A conversation is found by its statement, word for word: where a source asks in other
// words than when it was recorded, it must be recorded again. It is for tests only.
package trinotest
