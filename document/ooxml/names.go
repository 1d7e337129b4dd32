package ooxml

import (
	"strings"
	"sync"
)

const (
	office = "http://schemas.openxmlformats.org/"
	strict = "http://purl.oclc.org/ooxml/" // the standard's second spelling of the same
)

// namespaces maps the prefixes used by this package to their namespace addresses.
// A file can use other prefixes.
var namespaces = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"w":   office + "wordprocessingml/2006/main",
		"p":   office + "presentationml/2006/main",
		"s":   office + "spreadsheetml/2006/main",
		"a":   office + "drawingml/2006/main",
		"pic": office + "drawingml/2006/picture",
		"wp":  office + "drawingml/2006/wordprocessingDrawing",
		"xdr": office + "drawingml/2006/spreadsheetDrawing",
		"c":   office + "drawingml/2006/chart",
		"m":   office + "officeDocument/2006/math",
		"r":   office + "officeDocument/2006/relationships",
		"rel": relationsSpace,
		"ct":  office + "package/2006/content-types",
		"mc":  office + "markup-compatibility/2006",
		"cp":  office + "officeDocument/2006/custom-properties",
		"vt":  office + "officeDocument/2006/docPropsVTypes",
		"dc":  "http://purl.org/dc/elements/1.1/",
		"xml": "http://www.w3.org/XML/1998/namespace",
		"v":   "urn:schemas-microsoft-com:vml",
		"p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
	}
})

// prefixes are namespaces the other way round.
var prefixes = sync.OnceValue(func() map[string]string {
	all := map[string]string{"": ""}
	for prefix, address := range namespaces() {
		all[address] = prefix
	}
	return all
})

// prefixOf returns this package's prefix for a namespace, or "?" for a namespace
// that is not needed here.
func prefixOf(address string) string {
	if rest, ok := strings.CutPrefix(address, strict); ok {
		folder, last, _ := strings.Cut(rest, "/")
		address = office + folder + "/2006/" + last
	}
	if prefix, ok := prefixes()[address]; ok {
		return prefix
	}
	return "?"
}
