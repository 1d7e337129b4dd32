//go:build !unix

package kernelfs

// NoWait is for systems without named pipes in the file system.
const NoWait = 0
