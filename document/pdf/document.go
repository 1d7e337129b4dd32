package pdf

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/agnes-data/da/api"
)

// Document is an open file. It is safe for one goroutine.
type Document struct {
	*engine
	doc   references.FPDF_DOCUMENT
	pages int
	// Recognize, if not nil, reads the picture of a page that has no text, a PNG.
	Recognize func(ctx context.Context, png []byte, dpi int) (string, error)
}

// Open opens a file, which must stay open as long as the document. When ctx ends,
// all work on the document stops. The caller must close the document.
func Open(ctx context.Context, r io.ReaderAt, size int64, o Options) (*Document, error) {
	e, err := start(ctx, o.CacheDir)
	if err != nil {
		return nil, err
	}
	d, err := e.document(Source{r, size, o.Password})
	if err != nil {
		e.close()
		return nil, err
	}
	return d, nil
}

func (e *engine) document(s Source) (*Document, error) {
	doc, err := e.open(s)
	if err != nil {
		return nil, err
	}
	d := &Document{engine: e, doc: doc}
	return d, d.count()
}

// count gets the number of pages.
func (d *Document) count() error {
	count, err := d.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.doc})
	if err != nil {
		return d.fault("the pages cannot be counted", err)
	}
	d.pages = count.PageCount
	return nil
}

// Close ends the use of a document.
func (d *Document) Close() { d.close() }

// Pages is how many there are.
func (d *Document) Pages() int { return d.pages }

// page returns the library's reference to a page; n counts from 1.
func (d *Document) page(n int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: d.doc, Index: n - 1}}
}

func invalid(hint, format string, args ...any) error {
	return &api.Error{Code: api.CodeValidation, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func (d *Document) check(n int) error {
	if n < 1 || n > d.pages {
		return invalid("Pages are counted from 1.", "there is no page %d: the file has %d", n, d.pages)
	}
	return nil
}

// Ranges reads pages such as "1-5,8,10-": lists, in the order that is written. "" is
// all of them.
func (d *Document) Ranges(text string) ([][]int, error) {
	if strings.TrimSpace(text) == "" {
		if text = "1-"; d.pages == 0 {
			return nil, nil
		}
	}
	var out [][]int
	for _, part := range strings.Split(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		from, err := strconv.Atoi(strings.TrimSpace(first))
		to := from
		if err == nil && isRange {
			if to = d.pages; strings.TrimSpace(last) != "" {
				to, err = strconv.Atoi(strings.TrimSpace(last))
			}
		}
		if err != nil || to < from {
			return nil, invalid("Pages are written as 1-5,8,10-.", "%q does not name pages", part)
		}
		for _, n := range []int{from, to} {
			if err := d.check(n); err != nil {
				return nil, err
			}
		}
		var pages []int
		for n := from; n <= to; n++ {
			pages = append(pages, n)
		}
		out = append(out, pages)
	}
	return out, nil
}

// list is Ranges as one list.
func (d *Document) list(text string) ([]int, error) {
	ranges, err := d.Ranges(text)
	var out []int
	for _, r := range ranges {
		out = append(out, r...)
	}
	return out, err
}
