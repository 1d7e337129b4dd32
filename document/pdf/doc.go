// Package pdf reads PDF files, page by page, and makes others of them: pages joined,
// divided, added and removed, texts and pictures placed, forms filled in.
//
// The library that does it, PDFium, is written in C++, which crafted files have been
// made against. It runs as WebAssembly: it sees no file system, no network and no
// clock, its memory is bounded, and the end of the context ends it. The package must
// not load it before it is needed, and never give it a folder.
package pdf
