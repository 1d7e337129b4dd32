package pptx

import (
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Outline describes the content of a presentation.
type Outline struct {
	Title    string   `json:"title,omitempty"`
	Author   string   `json:"author,omitempty"`
	WidthCM  float64  `json:"width_cm"`
	HeightCM float64  `json:"height_cm"`
	Slides   []Slide  `json:"slides"`
	Layouts  []string `json:"layouts"`
	Macros   bool     `json:"macros,omitempty"`
	Signed   bool     `json:"signed,omitempty"`
}

// Slide is one slide; Index counts from 0.
type Slide struct {
	Index    int    `json:"index"`
	Title    string `json:"title"`
	Layout   string `json:"layout,omitempty"`
	Words    int    `json:"words"`
	Tables   int    `json:"tables,omitempty"`
	Pictures int    `json:"pictures,omitempty"`
	Charts   int    `json:"charts,omitempty"`
	Notes    bool   `json:"notes,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"`
}

// Outline reads the structure of the presentation.
func (p *Presentation) Outline() (*Outline, error) {
	width, height := p.size()
	o := &Outline{
		WidthCM: float64(width) / ooxml.EMUPerCM, HeightCM: float64(height) / ooxml.EMUPerCM, Slides: []Slide{}, Layouts: []string{},
		Macros: strings.Contains(p.pkg.Type(p.main), "macroEnabled"), Signed: p.pkg.Signed(),
	}
	var err error
	if o.Title, o.Author, err = p.pkg.Properties(); err != nil {
		return nil, err
	}
	all, err := p.layouts()
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		o.Layouts = append(o.Layouts, l.name)
	}
	for i := range p.slides {
		s, err := p.describe(i)
		if err != nil {
			return nil, err
		}
		o.Slides = append(o.Slides, s)
	}
	return o, nil
}

func (p *Presentation) describe(index int) (Slide, error) {
	s := Slide{Index: index}
	part, root, err := p.slide(index)
	if err != nil {
		return s, err
	}
	s.Title = strings.ReplaceAll(title(root), "\n", " ")
	s.Hidden = root.Attr("show") == "0"
	for _, shape := range shapes(root) {
		for _, line := range lines(shape) {
			s.Words += len(strings.Fields(line))
		}
		switch {
		case shape.Name == "p:pic":
			s.Pictures++
		case table(shape) != nil:
			s.Tables++
		case chart(shape) != nil:
			s.Charts++
		}
	}
	_, l, err := p.related(part, "slideLayout")
	if err != nil {
		return s, err
	}
	s.Layout = l.Find("p:cSld").Attr("name")
	notes, err := p.notes(part)
	s.Notes = notes != ""
	return s, err
}

// title returns the text of a slide's title, or "" if it has none.
func title(root *ooxml.Node) string {
	return strings.TrimSpace(strings.Join(lines(first(root, "title").Find("p:txBody")), "\n"))
}

func table(shape *ooxml.Node) *ooxml.Node {
	return shape.Find("a:graphic", "a:graphicData", "a:tbl")
}

func chart(shape *ooxml.Node) *ooxml.Node {
	return shape.Find("a:graphic", "a:graphicData", "c:chart")
}

// notes returns the text of a slide's notes, or "" if there are none.
func (p *Presentation) notes(slide string) (string, error) {
	_, root, err := p.related(slide, "notesSlide")
	if err != nil || root == nil {
		return "", err
	}
	return strings.TrimSpace(strings.Join(lines(first(root, "body").Find("p:txBody")), "\n")), nil
}
