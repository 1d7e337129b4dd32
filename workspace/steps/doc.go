// Package steps describes single steps on workbooks, PDF files and pictures of the
// workspace: a name, what it does, its arguments and its answer. The tools for models
// and the commands are both made of these descriptions. The package must not know
// a door, nor a format beyond the arguments of its operations.
package steps
