package pdf

import (
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// Unshaped is for tests.
var Unshaped = unshaped

// Bookmarks lists the titles of a file's bookmarks.
func (d *Document) Bookmarks() (all []string) {
	var below func(parent *references.FPDF_BOOKMARK)
	below = func(parent *references.FPDF_BOOKMARK) {
		first, err := d.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: d.doc, Bookmark: parent})
		if err != nil {
			return
		}
		for at := first.Bookmark; at != nil && len(all) < 100_000; {
			title, _ := d.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: *at})
			all = append(all, title.Title)
			below(at)
			next, err := d.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: d.doc, Bookmark: *at})
			if err != nil {
				return
			}
			at = next.Bookmark
		}
	}
	below(nil)
	return all
}
