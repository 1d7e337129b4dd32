// Package metrics counts what a process does and writes the figures in the text
// format of Prometheus. It also writes the figures about the Go runtime and the
// process that Prometheus' own library writes, under the same names. That library
// registers messages and procfs whenever a command starts; this package does
// nothing until a server counts.
package metrics
