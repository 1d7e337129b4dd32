// Package python lets a model run Python: one process per conversation, which
// keeps its variables between calls, in the sandbox of package sandbox. The
// process has no network, cannot start other processes, and sees only its own
// folder and the data that it is given.
//
// Find looks for an interpreter and its modules. If there is none, or it cannot
// be isolated, the model has no Python tools and has to use SQL.
package python
