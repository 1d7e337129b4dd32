// Package scaledjpeg decodes a JPEG at a fraction of its size. A JPEG stores the
// frequencies of blocks of eight by eight pixels. This package decodes only the low
// ones, which are all that a smaller picture can show, in a third of the time that
// the whole picture takes.
//
// It reads what cameras and programs usually write. Everything else, and what is
// damaged, returns ErrOther: the caller then asks image/jpeg. Package scaledjpeg must
// not accept a file that image/jpeg refuses, and must not change colors.
package scaledjpeg
