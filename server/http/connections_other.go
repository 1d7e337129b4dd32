//go:build !unix

package httpapi

// connectionsFor is how many connections a process may have.
func connectionsFor() int { return maxConnections }
