// Package mcpserver serves the tools of package toolbox over the Model Context
// Protocol: over standard input and output, and as single HTTP requests. It knows
// the protocol, but not what the tools do.
package mcpserver
