package pdf

import (
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// Info describes a file.
type Info struct {
	Pages int    `json:"pages"`
	Sizes []Size `json:"page_sizes"`
	// Truncated says that sizes are left out, which Info itself never does.
	Truncated bool   `json:"truncated,omitempty"`
	Title     string `json:"title,omitempty"`
	Author    string `json:"author,omitempty"`
	Subject   string `json:"subject,omitempty"`
	Producer  string `json:"producer,omitempty"`
	Created   string `json:"created,omitempty"` // as the file has it: D:20240301…
	Modified  string `json:"modified,omitempty"`
	// Encrypted says that a password restricts the use of the file.
	Encrypted bool `json:"encrypted,omitempty"`
	Form      bool `json:"form"` // it has fields to fill in
	// XFA says that the form is of a kind whose fields cannot be seen here.
	XFA bool `json:"xfa_form,omitempty"`
	// Scanned says that the first pages have pictures but no text.
	Scanned bool `json:"scanned,omitempty"`
}

// Size is that of pages which follow each other, in points of 1/72 inch.
type Size struct {
	Pages  string  `json:"pages"` // 1-5
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// sampled is the number of pages examined to detect a scan.
const sampled = 3

// Info reads the properties of the file.
func (d *Document) Info() (*Info, error) {
	info := &Info{Pages: d.pages, Sizes: []Size{}}
	for tag, to := range map[string]*string{
		"Title": &info.Title, "Author": &info.Author, "Subject": &info.Subject, "Producer": &info.Producer, "CreationDate": &info.Created,
		"ModDate": &info.Modified,
	} {
		// Files without a description are an error here.
		if meta, err := d.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.doc, Tag: tag}); err == nil {
			*to = strings.TrimSpace(meta.Value)
		}
	}
	if err := d.sizes(info); err != nil {
		return nil, err
	}
	if form, err := d.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: d.doc}); err == nil {
		info.Form = form.FormType != enums.FPDF_FORMTYPE_NONE
		info.XFA = form.FormType == enums.FPDF_FORMTYPE_XFA_FULL
	}
	info.Encrypted = d.Encrypted()
	info.Scanned = d.pages > 0
	for n := 1; n <= min(d.pages, sampled) && info.Scanned; n++ {
		p, err := d.text(n)
		if ended := d.ctx.Err(); ended != nil {
			return nil, d.fault("", ended)
		}
		info.Scanned = err == nil && p.Text == "" && p.Pictures
	}
	return info, nil
}

func (d *Document) sizes(info *Info) error {
	for n := 1; n <= d.pages; n++ {
		s, err := d.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: d.doc, Index: n - 1})
		if err != nil {
			return d.fault("the size of a page cannot be read", err)
		}
		last := len(info.Sizes) - 1
		if last < 0 || info.Sizes[last].Width != s.Width || info.Sizes[last].Height != s.Height {
			info.Sizes = append(info.Sizes, Size{pages(n, n), s.Width, s.Height})
			continue
		}
		first, _, _ := strings.Cut(info.Sizes[last].Pages, "-")
		info.Sizes[last].Pages = first + "-" + pages(n, n)
	}
	return nil
}
