package figures

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/document/pdf"
)

// Page is a page of HTML.
type Page struct{ text []byte }

// mostPage is the size of a page, in bytes.
const mostPage = 64 << 20

// ReadPage reads a page.
func ReadPage(r io.ReaderAt, size int64) (*Page, error) {
	if size > mostPage {
		return nil, ooxml.TooLarge("", "the page is larger than %d MB", mostPage>>20)
	}
	text, err := io.ReadAll(io.NewSectionReader(r, 0, size))
	return &Page{text}, err
}

// Piece is a part of a page: a text that is shown, or all else.
type Piece struct {
	Raw   string // as it is in the page
	Text  string
	Shown bool
	tag   string // that the piece is
	attrs []html.Attribute
}

// Pieces divides the page.
func (p *Page) Pieces() (out []Piece) {
	z := html.NewTokenizer(bytes.NewReader(p.text))
	hidden := ""
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out // of the end; any text is a page
		}
		raw := string(z.Raw())
		t := z.Token()
		piece := Piece{Raw: raw, tag: t.Data, attrs: t.Attr}
		switch kind {
		case html.TextToken:
			piece = Piece{Raw: raw, Text: t.Data, Shown: hidden == ""}
		case html.StartTagToken:
			if slices.Contains([]string{"script", "style", "template", "noscript", "textarea", "title"}, t.Data) && hidden == "" {
				hidden = t.Data
			}
		case html.EndTagToken:
			if t.Data == hidden {
				hidden = ""
			}
		}
		out = append(out, piece)
	}
}

// inline are the elements that do not end a line.
var inline = []string{"a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q",
	"s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr", "img"}

// cells are those whose text counts also if it is empty.
var cells = []string{"td", "th"}

func (p *Page) blocks() (out []Block, err error) {
	var b strings.Builder
	add := func(always bool) {
		if text := strings.Join(strings.Fields(b.String()), " "); text != "" || always {
			out = append(out, Block{text, fmt.Sprintf("block %d", len(out)+1)})
		}
		b.Reset()
	}
	for _, piece := range p.Pieces() {
		switch {
		case piece.Shown:
			b.WriteString(piece.Text)
		case piece.tag != "" && !slices.Contains(inline, piece.tag):
			add(strings.HasPrefix(piece.Raw, "</") && slices.Contains(cells, piece.tag))
		}
	}
	add(false)
	return out, nil
}

// receiptMeta is the name of the element with a receipt, which LibreOffice takes for
// a property of the document.
const receiptMeta = ooxml.Receipt + ".1"

func (p *Page) receipt() (string, error) {
	for _, piece := range p.Pieces() {
		if name, content := piece.meta(); name == receiptMeta {
			return content, nil
		}
	}
	return "", nil
}

func (p Piece) meta() (name, content string) {
	if p.tag != "meta" {
		return "", ""
	}
	for _, a := range p.attrs {
		switch a.Key {
		case "name":
			name = a.Val
		case "content":
			content = a.Val
		}
	}
	return name, strings.Join(strings.Fields(content), "")
}

// WritePage writes pieces with a receipt in place of an earlier one.
func WritePage(w io.Writer, pieces []Piece, receipt string) error {
	element := `<meta name="` + receiptMeta + `" content="` + html.EscapeString(receipt) + `">`
	head := slices.IndexFunc(pieces, func(p Piece) bool { return p.tag == "head" && !strings.HasPrefix(p.Raw, "</") })
	if head < 0 {
		head = slices.IndexFunc(pieces, func(p Piece) bool { return p.tag == "html" })
	}
	var b strings.Builder
	for i, p := range pieces {
		if name, _ := p.meta(); name == receiptMeta && receipt != "" {
			continue
		}
		if b.WriteString(p.Raw); i == head && receipt != "" {
			b.WriteString(element)
		}
	}
	if head < 0 && receipt != "" { // a piece of a page
		b.WriteString(element)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// print is a PDF file.
type print struct{ *pdf.Document }

func (p print) receipt() (string, error) {
	data, err := p.Attached(ooxml.Receipt)
	return string(data), err
}

func (p print) blocks() (out []Block, err error) {
	text, err := p.ExtractText("", 0)
	if err != nil {
		return nil, err
	}
	for _, page := range text.Pages {
		for _, line := range strings.Split(page.Text, "\n") {
			out = append(out, Block{line, fmt.Sprintf("page %d", page.Page)})
		}
	}
	return out, nil
}

// Attach writes a PDF file with receipts within it.
func Attach(d *pdf.Document, receipts []Receipt, w io.Writer) error {
	text, err := Encode(receipts)
	if err != nil {
		return err
	}
	return d.Attach(ooxml.Receipt, []byte(text), w)
}
