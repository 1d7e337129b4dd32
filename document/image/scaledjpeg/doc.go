// Package scaledjpeg decodes a JPEG at a fraction of its size. A JPEG stores the
// frequencies of blocks of eight by eight pixels; this package computes pixels from
// those frequencies alone that a smaller picture can show, which takes a third of the
// time of decoding the picture as it is.
//
// It knows what cameras and programs usually write. All else, and what is damaged, is
// ErrOther: package image/jpeg decides on that. Package scaledjpeg must not accept a
// file that image/jpeg refuses, and must not turn colors into others.
package scaledjpeg
