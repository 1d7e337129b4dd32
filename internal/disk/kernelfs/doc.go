// Package kernelfs opens files that users name, and detects those whose content the
// kernel generates when they are read.
//
// The latter look like regular files, but instead of data stored by a user they contain
// secrets of processes, such as the environment of this process. Code that reads
// files named by others refuses them. The check uses the file system of the open
// file, not its path, because links can lead there.
package kernelfs
