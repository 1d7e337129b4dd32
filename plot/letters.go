package plot

import (
	"fmt"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"

	"github.com/agnes-data/da/internal/words/textwidth"
)

// letters is the font of images: Go Regular, with Latin, Greek and Cyrillic
// letters. It is for one goroutine.
type letters struct {
	font  *sfnt.Font
	buf   sfnt.Buffer
	faces map[float64]font.Face
}

func newLetters() (*letters, error) {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("read the font of images: %w", err)
	}
	return &letters{font: f, faces: map[float64]font.Face{}}, nil
}

// face is the font at a size in pixels.
func (l *letters) face(size float64) font.Face {
	if f, ok := l.faces[size]; ok {
		return f
	}
	f, err := opentype.NewFace(l.font, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		panic("plot: a font of our own has no face: " + err.Error()) // it depends on nothing from outside
	}
	l.faces[size] = f
	return f
}

// has reports whether the font shows r.
func (l *letters) has(r rune) bool {
	glyph, err := l.font.GlyphIndex(&l.buf, r)
	return err == nil && glyph != 0
}

// width is the width of s at a size. For characters missing in the font it
// assumes the width in other fonts: a square for East Asian characters, half of
// one otherwise.
func (l *letters) width(s string, size float64) float64 {
	face, total := l.face(size), 0.0
	for _, r := range s {
		if !l.has(r) {
			total += float64(textwidth.Of(string(r))) * size / 2
			continue
		}
		advance, _ := face.GlyphAdvance(r)
		total += float64(advance) / 64
	}
	return total
}

// fit cuts s to a width, with a mark.
func (l *letters) fit(s string, size, width float64) string {
	if l.width(s, size) <= width {
		return s
	}
	most := textwidth.Of(s)
	for most > 1 {
		most--
		if text, _ := textwidth.Clip(s, most, "…"); l.width(text, size) <= width {
			return text
		}
	}
	return "…"
}
