//go:build !unix

package httpapi

// connectionsFor is how many connections a process can have.
func connectionsFor() int { return maxConnections }
