package pptx

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Compare compares two presentations: what is on their slides and in the notes,
// what they are made of, and what they name outside. One that is not there is nil.
func Compare(before, after *Presentation) (*ooxml.Comparison, error) {
	c := &ooxml.Comparison{}
	was, err := before.pieces()
	if err != nil {
		return nil, err
	}
	now, err := after.pieces()
	if err != nil {
		return nil, err
	}
	changed := c.Pieces(was, now)
	read := func(part string) bool { // what slides are read from
		if !changed {
			return false
		}
		for _, folder := range []string{"/slides/", "/notesSlides/", "/charts/", "/diagrams/", "/embeddings/", "/comments/"} {
			if strings.Contains("/"+part, folder) {
				return true
			}
		}
		return part == before.mainPart() || part == after.mainPart()
	}
	return c, c.Parts(before.packed(), after.packed(), read)
}

func (p *Presentation) packed() *ooxml.Package {
	if p == nil {
		return nil
	}
	return p.pkg
}

func (p *Presentation) mainPart() string {
	if p == nil {
		return ""
	}
	return p.main
}

// pieces are the lines of all slides.
func (p *Presentation) pieces() (out []ooxml.Piece, err error) {
	if p == nil {
		return nil, nil
	}
	for i := range p.slides {
		text, err := p.Read(i)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				out = append(out, ooxml.Piece{Place: fmt.Sprintf("slide %d", i), Text: line})
			}
		}
	}
	return out, nil
}
