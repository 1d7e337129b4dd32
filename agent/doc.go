// Package agent lets a model work on a question with the tools of package toolbox
// until it has an answer. It is a loop with limits, and each step is written to
// disk before the next one starts.
//
// It trusts neither the model nor the data. A model can only do what its tools
// allow, within limits that are counted here; instructions found in data can
// change neither. The package does not depend on a model protocol or a user
// interface (CLI, server, MCP).
package agent
