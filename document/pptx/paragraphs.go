package pptx

import "github.com/agnes-data/da/document/ooxml"

// Paragraph is the text of a paragraph and its location.
type Paragraph struct {
	Text  string
	Slide int  // counted from 0
	Notes bool // it belongs to the notes of the slide
}

// Paragraphs lists the paragraphs of the slides and of their notes.
func (p *Presentation) Paragraphs() ([]Paragraph, error) {
	var out []Paragraph
	for i, slide := range p.slides {
		notes, _, err := p.related(slide, "notesSlide")
		if err != nil {
			return nil, err
		}
		for _, part := range []string{slide, notes} {
			if part == "" {
				continue
			}
			root, err := p.rootOf(part)
			if err != nil {
				return nil, err
			}
			for n := range root.All(skipped) {
				if n.Name == "a:p" {
					out = append(out, Paragraph{ooxml.Joined(segments(n)), i, part == notes})
				}
			}
		}
	}
	return out, nil
}
