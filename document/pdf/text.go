package pdf

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/agnes-data/da/api"
)

func pages(from, to int) string {
	if from == to {
		return strconv.Itoa(from)
	}
	return strconv.Itoa(from) + "-" + strconv.Itoa(to)
}

// Page is the text of one page.
type Page struct {
	Page int    `json:"page"`
	Text string `json:"text"`
	// Pictures says that the page has pictures: a page with pictures but without
	// text is probably a scan.
	Pictures bool `json:"pictures,omitempty"`
	// Recognized says that the text was recognized from the picture of the page.
	Recognized bool `json:"recognized,omitempty"`
	tooLarge   bool // a picture has more than mostPixels
}

// Text is the text of a range of pages.
type Text struct {
	Pages []Page `json:"pages"`
	// Truncated says that the pages from Next on are omitted, because the text is
	// long.
	Truncated bool `json:"truncated,omitempty"`
	Next      int  `json:"next_page,omitempty"`
	api.CaveatList
}

// Bounds of what a call recognizes, as a page takes some seconds, whether it has text or
// not. After the time no other page is begun.
const (
	mostRecognized = 10
	recognizeTime  = 15 * time.Second
	// mostPixels keep one picture from taking the time of all pages.
	mostPixels = 100_000_000
)

// ExtractText reads the text of pages, such as "1-5,8", in reading order; ""
// selects all pages. Scans are recognized if that is possible here. It stops after the
// page with which the text reaches maxBytes; 0 means no limit.
func (d *Document) ExtractText(which string, maxBytes int) (*Text, error) {
	numbers, err := d.list(which)
	if err != nil {
		return nil, err
	}
	out, size, not, tried, began := &Text{Pages: []Page{}}, 0, unread{}, 0, time.Now()
	for _, n := range numbers {
		if maxBytes > 0 && size >= maxBytes {
			out.Truncated, out.Next = true, n
			break
		}
		p, err := d.text(n)
		if err != nil && (d.ctx.Err() != nil || len(numbers) == 1) {
			return nil, err
		}
		if err != nil { // a damaged page does not take the others along
			not.lost = append(not.lost, strconv.Itoa(n))
			continue
		}
		if p.Text == "" && p.Pictures && !p.tooLarge && d.Recognize != nil && tried < mostRecognized && time.Since(began) < recognizeTime {
			tried++
			d.recognize(&p)
		}
		not.add(p)
		size += len(p.Text)
		out.Pages = append(out.Pages, p)
	}
	not.tell(&out.CaveatList)
	return out, nil
}

// unread are the pages whose text nobody has seen.
type unread struct{ scans, lost, recognized []string }

func (u *unread) add(p Page) {
	switch {
	case p.Recognized:
		u.recognized = append(u.recognized, strconv.Itoa(p.Page))
	case p.Text == "" && p.Pictures:
		u.scans = append(u.scans, strconv.Itoa(p.Page))
	}
}

func (u *unread) tell(to *api.CaveatList) {
	for _, pages := range []struct {
		kind         api.CaveatKind
		reason, text string
		of           []string
	}{{api.CaveatUnread, "scan", "pages without text, with pictures, as scans have them: ", u.scans},
		{api.CaveatUnread, "damaged", "pages that are damaged and cannot be read: ", u.lost},
		{api.CaveatGuessed, "recognized", "the text was recognized from pictures, so check its figures and names: pages ", u.recognized}} {
		if len(pages.of) > 0 {
			to.Tell(api.Caveat{Kind: pages.kind, Reason: pages.reason, Count: &api.Count{N: int64(len(pages.of)), Of: "pages"},
				Text: pages.text + strings.Join(pages.of, ", ")})
		}
	}
}

// text reads the text of one page.
func (d *Document) text(n int) (Page, error) {
	text, lines, err := d.drawn(n)
	if err != nil {
		return Page{}, d.fault("page "+strconv.Itoa(n)+" cannot be read", err)
	}
	if inOrder := ordered(lines); inOrder != "" {
		text = inOrder
	}
	p := Page{Page: n, Text: tidy(text)}
	if p.Text == "" {
		p.Pictures, p.tooLarge = d.pictures(n)
	}
	return p, nil
}

// recognize reads the picture of a page. What cannot be recognized stays a scan.
func (d *Document) recognize(p *Page) {
	const dpi, side = 300, 3508 // the longer side of A4
	var picture bytes.Buffer
	if _, _, err := d.Draw(p.Page, side, &picture); err != nil {
		return
	}
	if text, err := d.Recognize(d.ctx, picture.Bytes(), dpi); err == nil && text != "" {
		p.Text, p.Recognized = tidy(text), true
	}
}

// tidy normalizes line ends, and joins words that were split at a line end.
func tidy(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufffe\n", "", "\ufffe", "", "\u0002", "", "\x00", "").Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// pictures reports whether there is a picture on the page, and whether one is too large to
// be drawn. If that cannot be determined, it returns false.
func (d *Document) pictures(n int) (some, tooLarge bool) {
	count, err := d.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: d.page(n)})
	if err != nil {
		return false, false
	}
	for i := range min(count.Count, 1000) {
		object, err := d.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: d.page(n), Index: i})
		if err != nil {
			return some, tooLarge
		}
		kind, err := d.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err != nil || kind.Type != enums.FPDF_PAGEOBJ_IMAGE && kind.Type != enums.FPDF_PAGEOBJ_FORM {
			continue
		}
		some = true
		size, err := d.FPDFImageObj_GetImagePixelSize(&requests.FPDFImageObj_GetImagePixelSize{ImageObject: object.PageObject})
		tooLarge = tooLarge || err == nil && uint64(size.Width)*uint64(size.Height) > mostPixels
	}
	return some, tooLarge
}

// Match is a place where a pattern occurs.
type Match struct {
	Page int    `json:"page"`
	Line int    `json:"line"` // line of the page's text, from 1
	Text string `json:"text"` // the line
}

// Found are the places where a pattern occurs.
type Found struct {
	Matches []Match `json:"matches"`
	// Truncated says that there are more matches.
	Truncated bool `json:"truncated,omitempty"`
	api.CaveatList
}

// Search finds the lines that a regular expression (RE2) matches, at most so many.
func (d *Document) Search(pattern string, most int) (*Found, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, invalid("Patterns are regular expressions as RE2 has them.", "the pattern is not right: %v", err)
	}
	out, not := &Found{Matches: []Match{}}, unread{}
	defer not.tell(&out.CaveatList)
	for n := 1; n <= d.pages; n++ {
		p, err := d.text(n)
		if ended := d.ctx.Err(); ended != nil {
			return nil, d.fault("", ended)
		}
		if err != nil {
			not.lost = append(not.lost, strconv.Itoa(n))
			continue
		}
		not.add(p)
		for i, line := range strings.Split(p.Text, "\n") {
			if !re.MatchString(line) {
				continue
			}
			if len(out.Matches) >= most {
				out.Truncated = true
				return out, nil
			}
			out.Matches = append(out.Matches, Match{n, i + 1, line})
		}
	}
	return out, nil
}
