package pdf

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/agnes-data/da/api"
)

// Merge joins files, all of their pages in order, and writes the result to w, which is
// not encrypted.
func Merge(ctx context.Context, w io.Writer, sources []Source, o Options) (*Report, error) {
	if len(sources) == 0 {
		return nil, invalid("Name the files in the order in which they are to be.", "there is nothing to merge")
	}
	e, err := start(ctx, o.CacheDir)
	if err != nil {
		return nil, err
	}
	defer e.close()
	g := gather(w)
	report := &Report{}
	for i, s := range sources {
		from, err := e.document(s)
		var plain *objects
		if err == nil {
			plain, err = from.objects(report)
		}
		if err == nil {
			err = g.take(plain, nil)
		}
		if err != nil {
			return nil, inFile(i, err)
		}
		_, _ = from.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: from.doc}) // its memory is freed in any case
	}
	report.Pages = len(g.kids)
	err = g.save()
	for _, c := range g.caveats() {
		report.Tell(c)
	}
	return report, err
}

// objects returns the file's objects, for a file that pages are copied to.
func (d *Document) objects(report *Report) (*objects, error) {
	if err := d.allowed(copyPages); err != nil {
		return nil, err
	}
	if d.Encrypted() {
		report.Tell(api.NewCaveat(api.CaveatOther, Unprotected))
	}
	var out bytes.Buffer
	as := requests.FPDF_SaveAsCopy{Document: d.doc, FileWriter: &out, Flags: requests.SaveFlagRemoveSecurity}
	if _, err := d.FPDF_SaveAsCopy(&as); err != nil {
		return nil, d.fault("its pages cannot be copied", err)
	}
	f, err := readObjects(out.Bytes())
	return f, d.fault("its pages cannot be copied", err)
}

// create makes a file without pages.
func (e *engine) create() (*Document, error) {
	made, err := e.FPDF_CreateNewDocument(&requests.FPDF_CreateNewDocument{})
	if err != nil {
		return nil, e.fault("no file can be made", err)
	}
	return &Document{engine: e, doc: made.Document}, nil
}

// save writes the file.
func (d *Document) save(w io.Writer) error {
	out := &keeping{w: w}
	_, err := d.FPDF_SaveAsCopy(&requests.FPDF_SaveAsCopy{Document: d.doc, FileWriter: out, Flags: requests.SaveFlagNoIncremental})
	if out.err != nil {
		return out.err
	}
	return d.fault("the file cannot be written", err)
}

// keeping keeps the error of a failed write, because the library only reports
// that writing has failed.
type keeping struct {
	w   io.Writer
	err error
}

func (k *keeping) Write(b []byte) (int, error) {
	n, err := k.w.Write(b)
	if err != nil && k.err == nil {
		k.err = err
	}
	return n, err
}

// Split writes each part of a list of pages, such as "1-5,8-", to its own file. It calls
// target for a writer for each part, with the pages of the part. Before it closes one,
// report has what did not go along so far.
func (d *Document) Split(ranges string, report *Report, target func(pages string) (io.WriteCloser, error)) (files int, err error) {
	parts, err := d.Ranges(ranges)
	if err != nil {
		return 0, err
	}
	plain, err := d.objects(report)
	if err != nil {
		return 0, err
	}
	for _, part := range parts {
		w, err := target(pages(part[0], part[len(part)-1]))
		if err != nil {
			return files, err
		}
		g := gather(w)
		if err = g.take(plain, part); err == nil {
			err = g.save()
		}
		for _, c := range g.caveats() {
			report.Tell(c)
		}
		if closing := w.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return files, err
		}
		files++
	}
	return files, nil
}

// sizeOf is the size of pages by name, in points.
func sizeOf(name string) (width, height float64, ok bool) {
	switch name {
	case "", "A4":
		return 595.28, 841.89, true
	case "A3":
		return 841.89, 1190.55, true
	case "A5":
		return 419.53, 595.28, true
	case "Letter":
		return 612, 792, true
	case "Legal":
		return 612, 1008, true
	}
	return 0, 0, false
}

// addPage adds an empty page before another, or behind the last.
func (d *Document) addPage(o *Operation) error {
	width, height, ok := sizeOf(o.Size)
	if !ok {
		return invalid("Sizes are A3, A4, A5, Letter and Legal.", "there is no page size %q", o.Size)
	}
	switch o.Orientation {
	case "", "portrait":
	case "landscape":
		width, height = height, width
	default:
		return invalid("It is portrait or landscape.", "there is no orientation %q", o.Orientation)
	}
	at := d.pages
	if o.Page != 0 {
		if err := d.check(o.Page); err != nil {
			return err
		}
		at = o.Page - 1
	}
	if _, err := d.FPDFPage_New(&requests.FPDFPage_New{Document: d.doc, PageIndex: at, Width: width, Height: height}); err != nil {
		return d.fault("no page can be added", err)
	}
	return d.count()
}

func (d *Document) deletePage(n int) error {
	if err := d.check(n); err != nil {
		return err
	}
	if d.pages == 1 {
		return invalid("Delete the file instead.", "a file has at least one page")
	}
	if _, err := d.FPDFPage_Delete(&requests.FPDFPage_Delete{Document: d.doc, PageIndex: n - 1}); err != nil {
		return d.fault("the page cannot be deleted", err)
	}
	return d.count()
}

// load opens a page for changes, and returns a function that closes it.
func (d *Document) load(n int) (references.FPDF_PAGE, func(), error) {
	if err := d.check(n); err != nil {
		return "", nil, err
	}
	loaded, err := d.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.doc, Index: n - 1})
	if err != nil {
		return "", nil, d.fault(fmt.Sprintf("page %d cannot be read", n), err)
	}
	return loaded.Page, func() { _, _ = d.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) }, nil
}
