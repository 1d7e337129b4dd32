package pdf_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// drawing is a page of a PDF as it is written: texts in Courier, whose letters are 0.6
// of their size wide, and lines.
type drawing struct {
	bytes.Buffer
	turned bool // the page is on its side, and its text upright on it
}

func (d *drawing) text(x, y, size float64, text string) {
	text = strings.NewReplacer("(", `\(`, ")", `\)`).Replace(text)
	if d.turned {
		fmt.Fprintf(d, "BT /F1 %g Tf 0 1 -1 0 %.2f %.2f Tm (%s) Tj ET\n", size, 842-y, x, text)
		return
	}
	fmt.Fprintf(d, "BT /F1 %g Tf 1 0 0 1 %.2f %.2f Tm (%s) Tj ET\n", size, x, y, text)
}

func (d *drawing) line(x1, y1, x2, y2 float64) {
	if d.turned {
		x1, y1, x2, y2 = 842-y1, x1, 842-y2, x2
	}
	fmt.Fprintf(d, "%.2f %.2f m %.2f %.2f l S\n", x1, y1, x2, y2)
}

// file is a PDF of that one page.
func (d *drawing) file() []byte {
	rotate := ""
	if d.turned {
		rotate = "/Rotate 90"
	}
	var out bytes.Buffer
	var at []int
	out.WriteString("%PDF-1.4\n")
	for i, body := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 842 842] " + rotate + " /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", d.Len(), d.Bytes()), "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
	} {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return out.Bytes()
}

// laid is how a table is drawn.
type laid struct {
	grid, bands, right, turned, wraps bool
	empty                             float64 // share of cells without text
}

// drawn draws random cells between two paragraphs, and returns them.
func drawn(r *rand.Rand, l laid) (*drawing, [][]string) {
	const size, left, height = 9.0, 50.0, 16.0
	d := &drawing{turned: l.turned}
	words := []string{"Ann", "Lee", "north", "May", "x", "12", "1,204.50", "97.1%", "(3)", "total", "see", "page"}
	columns, rows := 2+r.IntN(5), 4+r.IntN(18)
	width := make([]int, columns) // in letters
	cells := make([][]string, rows)
	for i := range cells {
		cells[i] = make([]string, columns)
		for c := range columns {
			if i > 0 && c > 0 && r.Float64() < l.empty {
				continue
			}
			text := words[r.IntN(len(words))]
			if r.IntN(3) == 0 {
				text += " " + words[r.IntN(len(words))]
			}
			cells[i][c], width[c] = text, max(width[c], len(text))
		}
	}
	for i := range 3 {
		d.text(left, 760-float64(i)*12, size, "A paragraph of words that stand before the table and say")
	}
	y := 690.0
	xs := []float64{left}
	for c := range columns {
		xs = append(xs, xs[c]+(float64(width[c])+3)*0.6*size)
	}
	end := xs[columns]
	ruled := func() {
		if l.grid || l.bands {
			d.line(left-4, y+11, end, y+11)
		}
	}
	top := y + 11
	for _, row := range cells {
		ruled()
		second := false
		for c, text := range row {
			x := xs[c]
			if l.right {
				x = xs[c+1] - (float64(len(text))+2)*0.6*size
			}
			if first, rest, two := strings.Cut(text, " "); two && l.wraps {
				d.text(x, y, size, first)
				d.text(x, y-11, size, rest)
				second = true
			} else if text != "" {
				d.text(x, y, size, text)
			}
		}
		if y -= height; second {
			y -= 11
		}
	}
	ruled()
	for _, x := range xs {
		if l.grid {
			d.line(x-4, top, x-4, y+11)
		}
	}
	if l.grid {
		d.line(end, top, end, y+11)
	}
	for i := range 3 {
		d.text(left, y-40-float64(i)*12, size, "and one that goes on behind it, as in any report that has")
	}
	return d, cells
}

// TestTablesOfPages draws random tables in every way: each cell is read where it is.
func TestTablesOfPages(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]laid{
		"columns": {}, "right": {right: true}, "gaps": {empty: 0.2}, "ruled": {grid: true, empty: 0.2}, "ruled, wrapped": {grid: true, wraps: true},
		"bands": {bands: true}, "bands, wrapped": {bands: true, wraps: true}, "turned": {turned: true}, "turned, ruled": {turned: true, grid: true, wraps: true},
	} {
		for seed := range uint64(6) {
			d, want := drawn(rand.New(rand.NewPCG(seed, 3)), l)
			doc := mustOpen(t, d.file())
			tables, err := doc.Tables(1)
			if err != nil || len(tables) != 1 {
				t.Errorf("%s %d: %d tables, %v", name, seed, len(tables), err)
				continue
			}
			if got := tables[0]; !reflect.DeepEqual(got.Rows, want) && got.Spans+got.Lone == 0 {
				t.Errorf("%s %d: another table without a word: %q\nwant %q", name, seed, got.Rows, want)
			} else if !reflect.DeepEqual(got.Rows, want) && l.empty == 0 {
				t.Errorf("%s %d: %q\nwant %q", name, seed, got.Rows, want)
			}
		}
	}
}

// TestCellsOverSeveralRows: a group beside three rows is that of each; of text over several
// lines it is only counted.
func TestCellsOverSeveralRows(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{{"g1"}, {"group", "one"}} {
		d := &drawing{}
		for _, x := range []float64{50, 150, 250} {
			d.line(x, 700, x, 620)
		}
		for i := range 5 {
			left, y := 50.0, 700-float64(i)*20
			if i == 1 || i == 2 {
				left = 150
			}
			d.line(left, y, 250, y)
			if i < 4 {
				d.text(155, y-14, 9, fmt.Sprint("v", i))
			}
		}
		for i, text := range lines {
			d.text(55, 674-float64(i)*12, 9, text)
		}
		d.text(55, 626, 9, "g2")
		tables, err := mustOpen(t, d.file()).Tables(1)
		if err != nil || len(tables) != 1 {
			t.Fatalf("%v, %v", tables, err)
		}
		got, want := tables[0], [][]string{{"g1", "v0"}, {"g1", "v1"}, {"g1", "v2"}, {"g2", "v3"}}
		if len(lines) > 1 {
			want = [][]string{{"group one", "v0"}, {"", "v1"}, {"", "v2"}, {"g2", "v3"}}
		}
		if !reflect.DeepEqual(got.Rows, want) || got.Filled != 2-len(lines) || got.Tall != len(lines)-1 {
			t.Errorf("%q: %d filled, %d tall", got.Rows, got.Filled, got.Tall)
		}
	}
}

// TestTextIsNoTable holds that paragraphs, also in two columns, are none.
func TestTextIsNoTable(t *testing.T) {
	t.Parallel()
	d := &drawing{}
	for i := range 30 {
		d.text(50, 780-float64(i)*12, 9, "Words in a column that go on from line to line")
		d.text(330, 780-float64(i)*12, 9, "and those of the other one, which is as long")
	}
	doc := mustOpen(t, d.file())
	tables, err := doc.Tables(1)
	if err != nil || len(tables) != 0 {
		t.Errorf("%v, %v", tables, err)
	}
}
