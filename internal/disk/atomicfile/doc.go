// Package atomicfile replaces files so that a crash at any moment leaves the old
// file or the new one: a temporary file in the same folder, fsync, rename, fsync
// of the folder. It also explains write errors in the contract's vocabulary, for
// everything that writes.
//
// It takes no locks and checks no names: its callers decide who may write when.
// Leftover recognises the temporary files of a killed writer. Callers remove
// them, because only they know whether the writer is still alive.
package atomicfile
