// Package python lets a model run Python: one process for each conversation,
// which keeps its variables from call to call, in the sandbox of package
// sandbox. It has no network, starts no processes, and sees no files but its own
// folder and the data that was given to it.
//
// Find looks for an interpreter and what it brings. Where there is none, or
// where it cannot be isolated, there are no tools for it: SQL remains.
package python
