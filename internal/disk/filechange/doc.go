// Package filechange shows that a file was changed even if its size and modification
// time are the same, as after cp -p or touch -r. It compares nothing by itself and
// never reads the file.
package filechange
