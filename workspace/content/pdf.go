package content

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ocr"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/workspace"
)

// pdfTime limits the work on a PDF file, including the time to compile the
// library at its first use. It also stops a page that was made to take forever.
const pdfTime = 5 * time.Minute

// mostMerged is how many files become one, and one becomes.
const mostMerged = 500

// compiled returns options with the folder in which the compiled PDF library is
// cached, because compiling takes seconds.
func compiled(password string) pdf.Options {
	return pdf.Options{Password: password, CacheDir: pdf.UserCache()}
}

// OpenPDF opens a PDF of the workspace for run. Errors name the file.
func OpenPDF(ctx context.Context, w *workspace.Workspace, ref, password string, run func(*pdf.Document) error) error {
	c, err := openKind(ctx, w, ref, PDF)
	if err != nil {
		return err
	}
	defer c.Close()
	leave, err := w.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return wrap(c, withPDF(ctx, c, password, run))
}

func openKind(ctx context.Context, w *workspace.Workspace, ref string, kind Kind) (*workspace.Content, error) {
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	if got := KindOf(c.Of); got != kind {
		c.Close()
		return nil, wrongKind(c.Of, got, kind)
	}
	return c, nil
}

func withPDF(ctx context.Context, c *workspace.Content, password string, run func(*pdf.Document) error) error {
	ctx, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	d, err := pdf.Open(ctx, c, c.Of.Size, compiled(password))
	if err != nil {
		return err
	}
	defer d.Close()
	if reader := ocr.Find(); reader != nil {
		d.Recognize = reader.Text
	}
	return run(d)
}

// ExtractText reads the text of pages such as "1-5,8", by default of all pages.
// It stops when the answer has about maxBytes, and reports that.
func ExtractText(d *pdf.Document, pages string, maxBytes int) (*pdf.Text, error) {
	out, err := d.ExtractText(pages, maxBytes)
	if err != nil {
		return nil, err
	}
	if n := len(out.Pages); n > 0 { // only the last page may exceed the limit
		size := 0
		for _, p := range out.Pages[:n-1] {
			size += len(p.Text)
		}
		last := &out.Pages[n-1]
		if room := max(maxBytes-size, 0); len(last.Text) > 2*maxBytes {
			last.Text = strings.ToValidUTF8(last.Text[:room], "")
			out.Truncated = true
			out.Tell(api.Caveat{Kind: api.CaveatCut, Count: &api.Count{N: 1, Of: "pages"},
				Text: fmt.Sprintf("the text of page %d is cut: it is longer than an answer may be", last.Page)})
		}
	}
	return out, nil
}

// Pdf changes a PDF file, or makes one.
func Pdf(ctx context.Context, w *workspace.Workspace, t Target, ops []pdf.Operation) (*Edited[pdf.Report], error) {
	if isApart(ctx, w, t.File) {
		return Elsewhere[*Edited[pdf.Report]](ctx, w, string(PDF), editIn[pdf.Operation]{Target: t, Ops: ops})
	}
	ctx, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	options := pdf.EditOptions{Options: compiled(t.Password), File: pictures(ctx, w)}
	blank := func() ([]byte, error) { return nil, nil }
	return edit(ctx, w, t, PDF, blank, func(r io.ReaderAt, size int64, out io.Writer) (*pdf.Report, error) {
		if size == 0 {
			return pdf.Create(ctx, out, ops, options)
		}
		return pdf.Edit(ctx, r, size, out, ops, options)
	})
}

// MergePDF joins files, all pages of each in order, as a new one. The password is that
// of the files that are encrypted.
func MergePDF(ctx context.Context, w *workspace.Workspace, refs []string, name,
	password string) (f workspace.File, report *pdf.Report, err error) {
	if err := nameFits(name, PDF); err != nil {
		return f, nil, err
	}
	if len(refs) == 0 || len(refs) > mostMerged {
		return f, nil, &api.Error{Code: api.CodeValidation, Message: fmt.Sprintf("1 to %d files can be joined, not %d", mostMerged, len(refs))}
	}
	var sources []pdf.Source
	for _, ref := range refs {
		c, err := openKind(ctx, w, ref, PDF)
		if err != nil {
			return f, nil, err
		}
		defer c.Close()
		sources = append(sources, pdf.Source{R: c, Size: c.Of.Size, Password: password})
	}
	ctx, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	var told []api.Caveat
	f, err = w.Telling(&told).PutBy(ctx, workspace.PutRequest{Name: name, Source: workspace.Derived, New: true}, func(out io.Writer) error {
		leave, err := w.Enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
		if report, err = pdf.Merge(ctx, out, sources, compiled("")); err == nil {
			told = report.Told("")
		}
		return err
	})
	return f, report, err
}

// SplitPDF creates a new file for each part of a list of pages such as "1-5,8-".
// Each is named after the file, followed by its pages. Either all files are
// created, or none.
func SplitPDF(ctx context.Context, w *workspace.Workspace, ref, ranges,
	password string) (files []workspace.File, lost []api.Caveat, err error) {
	c, err := openKind(ctx, w, ref, PDF)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	if strings.Count(ranges, ",") >= mostMerged {
		return nil, nil, &api.Error{Code: api.CodeValidation, Message: fmt.Sprintf("a file can be divided into %d at most", mostMerged)}
	}
	leave, err := w.Enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	base := strings.TrimSuffix(c.Of.Name, path.Ext(c.Of.Name))
	err = withPDF(ctx, c, password, func(d *pdf.Document) error {
		var report pdf.Report
		_, err := d.Split(ranges, &report, func(pages string) (io.WriteCloser, error) {
			return &part{store: func(r io.Reader) error {
				lost = report.Caveats
				f, err := w.Telling(&lost).Put(ctx, workspace.PutRequest{Name: base + "-" + pages + ".pdf", Source: workspace.Derived, New: true}, r)
				if err == nil {
					files = append(files, f)
				}
				return err
			}}, nil
		})
		return err
	})
	if err == nil {
		return files, api.AboutFile(c.Of.Name, lost), nil
	}
	for _, f := range files { // nobody has seen these files yet
		_, _ = w.Purge(context.WithoutCancel(ctx), f.ID, f.Version)
	}
	return nil, nil, wrap(c, err)
}

// part is a new file of the workspace, stored when it is closed.
type part struct {
	bytes.Buffer
	store func(io.Reader) error
}

// Close stores the file.
func (p *part) Close() error { return p.store(&p.Buffer) }
