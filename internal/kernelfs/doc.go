// Package kernelfs recognises files that the kernel generates as they are read.
//
// They look like regular files and hold no data that anybody put there, but
// secrets of processes: the environment of this one, for example. What reads
// files that others name refuses them. The file system of the open file decides,
// not its path, which may lead there by links.
package kernelfs
