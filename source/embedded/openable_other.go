//go:build !unix

package embedded

// maxOpenFiles is how many files the process can have open.
func maxOpenFiles() int { return 3 * MaxFiles }
