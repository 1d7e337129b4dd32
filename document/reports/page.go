package reports

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
)

// page is a template of HTML.
type page struct {
	r      io.ReaderAt
	size   int64
	pieces []figures.Piece
	at     []int // the piece of each placeholder
}

func (t *page) placeholders() ([]Placeholder, error) {
	p, err := figures.ReadPage(t.r, t.size)
	if err != nil {
		return nil, err
	}
	t.pieces = p.Pieces()
	var all []Placeholder
	line := 1
	for i, piece := range t.pieces {
		at := "line " + strconv.Itoa(line)
		line += strings.Count(piece.Raw, "\n")
		if !piece.Shown {
			if m := marks().FindString(piece.Raw); m != "" && !strings.HasPrefix(piece.Raw, "<!--") {
				return nil, Placeholder{Raw: m, At: at}.bad(api.KindNotAlone, "Put it into the text of the page.",
					"is within a tag, a script or a style")
			}
			continue
		}
		found, err := find(piece.Text, at)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 { // from here on, the text is ours to escape
			t.pieces[i].Raw = html.EscapeString(piece.Text)
		}
		for _, one := range found {
			all, t.at = append(all, one), append(t.at, i)
		}
	}
	return all, nil
}

func (t *page) put(i int, p Placeholder, rows *Rows, picture []byte) error {
	var by string
	switch p.Kind {
	case Plot:
		by = `<img alt="` + html.EscapeString(p.Statement) + `" src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(picture) + `">`
	case Table:
		by = rows.html()
	default:
		by = strings.ReplaceAll(html.EscapeString(rows.lines()), "\n", "<br>")
	}
	piece := &t.pieces[t.at[i]]
	piece.Raw = strings.Replace(piece.Raw, html.EscapeString(p.Raw), by, 1)
	return nil
}

// html is the rows as a table.
func (r *Rows) html() string {
	var b strings.Builder
	b.WriteString("<table>\n")
	for i, row := range r.Table() {
		b.WriteString("<tr>")
		for c, v := range row {
			tag, align := "td", ""
			if i == 0 {
				tag = "th"
			}
			if _, number := v.(json.Number); number || i == 0 && r.numbers(c) {
				align = ` align="right"`
			}
			b.WriteString("<" + tag + align + ">" + html.EscapeString(text(v)) + "</" + tag + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>")
	return b.String()
}

// numbers reports whether the first value of a column is a number.
func (r *Rows) numbers(column int) bool {
	if len(r.Values) == 0 {
		return false
	}
	_, ok := r.Values[0][column].(json.Number)
	return ok
}

func (t *page) write(w io.Writer, receipts []figures.Receipt) ([]api.Caveat, error) {
	receipt, err := figures.Encode(receipts)
	if err != nil {
		return nil, err
	}
	return nil, figures.WritePage(w, t.pieces, receipt)
}
