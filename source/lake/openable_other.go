//go:build !unix

package lake

// maxOpenFiles is how many files the process may have open.
func maxOpenFiles() int { return 3 * maxFiles }
