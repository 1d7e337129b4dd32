package pdf

import (
	"math"
	"strconv"
	"unicode"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// word is a word of a page in the frame of its text: x grows to the right, y down, both
// in points.
type word struct {
	text                           string
	left, right, top, bottom, base float64
}

// rule is a straight line that is drawn on a page, in the same frame.
type rule struct{ x1, y1, x2, y2 float64 }

// frame turns places on a page into the frame of its text.
type frame [2]float64

func (f frame) at(x, y float64) (float64, float64) { return x*f[0] + y*f[1], x*f[1] - y*f[0] }

// Bounds of the work on one page.
const (
	mostLetters = 200_000
	mostObjects = 20_000
	mostNested  = 4
)

// words reads the words of a page, and the frame in which most of its text stands
// upright.
func (d *Document) words(n int) ([]word, frame, error) {
	opened, err := d.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: d.page(n)})
	if err != nil {
		return nil, frame{}, err
	}
	page := opened.TextPage
	defer func() { _, _ = d.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: page}) }()
	count, err := d.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: page})
	if err != nil {
		return nil, frame{}, err
	}
	if count.Count > mostLetters {
		return nil, frame{}, invalid("Read its text.", "page %d has %d letters, too many to look for tables in", n, count.Count)
	}
	var spans [][]int // the letters of each word
	var letters []rune
	begun := false
	for i := range count.Count {
		got, err := d.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: page, Index: i})
		if err != nil {
			return nil, frame{}, err
		}
		r := rune(got.Unicode) //nolint:gosec // a letter
		letters = append(letters, r)
		if hyphen := r == '\ufffe' || r == 2; hyphen { // at the end of a line
			letters[i] = '-'
		} else if unicode.IsSpace(r) || r < ' ' {
			begun = false
			continue
		}
		if !begun {
			spans = append(spans, nil)
		}
		begun = true
		spans[len(spans)-1] = append(spans[len(spans)-1], i)
	}
	f := d.frameOf(page, spans)
	var all []word
	for _, span := range spans {
		if all, err = d.wordsOf(page, f, span, letters, all); err != nil {
			return nil, f, err
		}
	}
	return all, f, nil
}

// frameOf is the direction in which most words run.
func (d *Document) frameOf(page references.FPDF_TEXTPAGE, spans [][]int) frame {
	votes, best := map[frame]int{}, frame{1, 0}
	for _, span := range spans {
		if len(span) < 2 {
			continue
		}
		if _, direction, ok := d.lineOf(page, span[0], span[len(span)-1]); ok && direction != nil {
			f := frame{math.Round(direction[0]), math.Round(direction[1])}
			if votes[f]++; math.Abs(f[0])+math.Abs(f[1]) == 1 && votes[f] > votes[best] {
				best = f
			}
		}
	}
	return best
}

// wordsOf adds the words of a run of letters: it is taken apart where they stand far
// apart.
func (d *Document) wordsOf(page references.FPDF_TEXTPAGE, f frame, span []int, letters []rune, all []word) ([]word, error) {
	begins := true
	for _, i := range span {
		box, err := d.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: page, Index: i})
		if err != nil {
			return nil, err
		}
		x1, y1 := f.at(box.Left, box.Top)
		x2, y2 := f.at(box.Right, box.Bottom)
		w := word{text: string(letters[i]), left: min(x1, x2), right: max(x1, x2), top: min(y1, y2), bottom: max(y1, y2)}
		if !begins {
			last := &all[len(all)-1]
			if gap := w.left - last.right; gap < last.bottom-last.top && gap > -(last.bottom-last.top) {
				last.text += w.text
				last.left, last.right, last.top, last.bottom = min(last.left, w.left), max(last.right, w.right), min(last.top, w.top),
					max(last.bottom, w.bottom)
				continue
			}
		}
		origin, err := d.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: i})
		if err != nil {
			return nil, err
		}
		_, w.base = f.at(origin.X, origin.Y)
		all, begins = append(all, w), false
	}
	return all, nil
}

// rules reads the straight lines that are drawn on a page, and the edges of its boxes.
func (d *Document) rules(n int, f frame) ([]rule, error) {
	count, err := d.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: d.page(n)})
	if err != nil {
		return nil, err
	}
	r := ruled{d: d, frame: f}
	for i := range min(count.Count, mostObjects) {
		object, err := d.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: d.page(n), Index: i})
		if err != nil {
			return nil, err
		}
		if err := r.object(object.PageObject, structs.FPDF_FS_MATRIX{A: 1, D: 1}, 0); err != nil {
			return nil, err
		}
	}
	return r.rules, nil
}

// ruled collects the rules of a page.
type ruled struct {
	d     *Document
	frame frame
	rules []rule
	seen  int
}

// object takes an object that is placed by a matrix, and those within it.
func (r *ruled) object(o references.FPDF_PAGEOBJECT, within structs.FPDF_FS_MATRIX, depth int) error {
	if r.seen++; r.seen > mostObjects {
		return nil
	}
	kind, err := r.d.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o})
	if err != nil || kind.Type != enums.FPDF_PAGEOBJ_PATH && kind.Type != enums.FPDF_PAGEOBJ_FORM {
		return err
	}
	own, err := r.d.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: o})
	if err != nil {
		return err
	}
	m := times(own.Matrix, within)
	if kind.Type == enums.FPDF_PAGEOBJ_PATH {
		return r.path(o, m)
	}
	count, err := r.d.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: o})
	if err != nil || depth >= mostNested {
		return err
	}
	for i := range count.Count {
		inner, err := r.d.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: o, Index: uint64(i)}) //nolint:gosec // from 0
		if err != nil {
			return err
		}
		if err := r.object(inner.PageObject, m, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// path takes the straight segments of a path.
func (r *ruled) path(o references.FPDF_PAGEOBJECT, m structs.FPDF_FS_MATRIX) error {
	count, err := r.d.FPDFPath_CountSegments(&requests.FPDFPath_CountSegments{PageObject: o})
	if err != nil {
		return err
	}
	var x, y, x0, y0 float64
	for i := range count.Count {
		if r.seen++; r.seen > mostObjects {
			return nil
		}
		s, err := r.d.FPDFPath_GetPathSegment(&requests.FPDFPath_GetPathSegment{PageObject: o, Index: i})
		if err != nil {
			return err
		}
		kind, err := r.d.FPDFPathSegment_GetType(&requests.FPDFPathSegment_GetType{PathSegment: s.PathSegment})
		if err != nil {
			return err
		}
		at, err := r.d.FPDFPathSegment_GetPoint(&requests.FPDFPathSegment_GetPoint{PathSegment: s.PathSegment})
		if err != nil {
			return err
		}
		closed, err := r.d.FPDFPathSegment_GetClose(&requests.FPDFPathSegment_GetClose{PathSegment: s.PathSegment})
		if err != nil {
			return err
		}
		toX, toY := r.frame.at(float64(m.A*at.X+m.C*at.Y+m.E), float64(m.B*at.X+m.D*at.Y+m.F))
		switch kind.Type {
		case enums.FPDF_SEGMENT_MOVETO:
			x0, y0 = toX, toY
		case enums.FPDF_SEGMENT_LINETO:
			r.rules = append(r.rules, rule{x, y, toX, toY})
		}
		if x, y = toX, toY; closed.IsClose {
			r.rules = append(r.rules, rule{x, y, x0, y0})
		}
	}
	return nil
}

// times is the matrix that places what first places, placed by second.
func times(first, second structs.FPDF_FS_MATRIX) structs.FPDF_FS_MATRIX {
	return structs.FPDF_FS_MATRIX{
		A: first.A*second.A + first.B*second.C, B: first.A*second.B + first.B*second.D,
		C: first.C*second.A + first.D*second.C, D: first.C*second.B + first.D*second.D,
		E: first.E*second.A + first.F*second.C + second.E, F: first.E*second.B + first.F*second.D + second.F,
	}
}

// Tables reads the tables of a page, from the top: what is ruled into cells, and words
// that stand in columns.
func (d *Document) Tables(n int) ([]Table, error) {
	if err := d.check(n); err != nil {
		return nil, err
	}
	words, f, err := d.words(n)
	var rules []rule
	if err == nil {
		rules, err = d.rules(n, f)
	}
	if err != nil {
		return nil, d.fault("page "+strconv.Itoa(n)+" cannot be read", err)
	}
	return tablesOf(words, rules), nil
}
