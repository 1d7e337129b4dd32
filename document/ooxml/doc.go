// Package ooxml opens and changes the packages that office programs write: zip
// archives of parts, most of them XML, connected by relationships.
//
// An unchanged part is copied byte for byte, without recompressing it. In a
// changed XML part, each untouched element keeps its bytes: the tree (Node) holds
// slices of the source. The input is not trusted: sizes, depth and number of
// elements are limited, document types and their entities are refused, and part
// names that lead out of the package are never followed.
//
// The package must not know what documents, slides or sheets mean, and it opens
// no files: it reads from an io.ReaderAt and writes to an io.Writer.
package ooxml
