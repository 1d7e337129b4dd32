// Package image reads what a picture is and makes another one of it: another size,
// a part, another format, pictures on top.
//
// Sizes are read before anything is decoded, and pictures of more than 100
// megapixels are refused. Pictures are turned as their metadata says, and written
// without metadata, so that no place where a photograph was taken goes along, unless
// that is asked for. The package must not draw texts or shapes.
package image
