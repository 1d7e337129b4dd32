//go:build !unix

package server

// connectionsFor is how many connections a process may have.
func connectionsFor() int { return maxConnections }
