// Package steps describes single operations on workbooks, PDF files and pictures
// of the workspace: name, description, arguments and answer. The tools for models
// and the commands are both built from these descriptions. The package must not
// depend on a user interface (CLI, server, MCP), or on details of a format beyond
// the arguments of its operations.
package steps
