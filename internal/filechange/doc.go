// Package filechange shows that a file has changed although it has the same size and
// modification time: these are kept by programs such as cp -p and touch -r.
package filechange
