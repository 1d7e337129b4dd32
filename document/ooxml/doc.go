// Package ooxml opens and changes the packages that office programs write: zip
// archives of parts, most of them XML, joined by relationships.
//
// A part that nothing has changed is copied byte for byte, packed as it was. A
// changed part of XML keeps the bytes of every element that was not touched: the
// tree (Node) holds slices of the source. Nothing is taken on trust: sizes, depth
// and number of elements are bounded, document types and their entities are
// refused, and names of parts that leave the package are never followed.
//
// The package must not know what documents, slides or sheets mean, and it opens
// no file: it is given an io.ReaderAt and writes to an io.Writer.
package ooxml
