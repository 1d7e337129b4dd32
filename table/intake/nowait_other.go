//go:build !unix

package intake

// NoWait is for systems whose pipes have no names among the files.
const NoWait = 0
