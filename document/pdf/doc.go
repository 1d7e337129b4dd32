// Package pdf reads PDF files page by page, and makes new files from them: it
// joins, splits, adds and removes pages, places texts and pictures, and fills in
// forms.
//
// It uses PDFium, a library in C++ that attackers target with crafted files.
// Therefore PDFium runs as WebAssembly: it has no access to file system, network
// or clock, its memory is limited, and it is stopped when the context ends. The
// package must not load the library before it is needed, and must never give it
// access to a folder.
package pdf
