// Package atomicfile puts files in place so that a crash at any moment leaves
// the old one or the new one, never a half: a temporary file in the same
// folder, fsync, rename, fsync of the folder. It also says, in the terms of
// the contract, why a file could not be written, for everything that writes.
//
// It locks nothing and decides nothing about names: who may write when is the
// caller's business. A leftover of a killed writer has a name that Leftover
// knows; removing it is the caller's business too, since only the caller knows
// whether its writer still lives.
package atomicfile
