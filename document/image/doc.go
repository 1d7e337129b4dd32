// Package image reads the properties of a picture and makes a new picture from
// it: in another size or format, a part of it, or with other pictures on top.
//
// Sizes are read before anything is decoded, and pictures of more than 100
// megapixels are refused. Pictures are rotated as their metadata says, and
// written without metadata, so that the place where a photograph was taken is not
// disclosed, unless keeping it is asked for. The package must not draw texts or
// shapes.
package image
