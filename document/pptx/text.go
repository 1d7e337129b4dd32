package pptx

import (
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// setPiece replaces the text of a run. Each line end starts a new run with the
// same formatting.
func setPiece(t *ooxml.Node, text string) error {
	run := t.Parent
	pieces := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	t.SetText(pieces[0])
	for _, piece := range pieces[1:] {
		again := run.Clone()
		again.Find("a:t").SetText(piece)
		br, err := run.Parent.Fragment("<a:br></a:br>")
		if err != nil {
			return err
		}
		if props := run.Find("a:rPr"); props != nil {
			br[0].Append(props.Clone())
		}
		run.After(append(br, again)...)
		run = again
	}
	return nil
}

// line is a paragraph to write; level is its depth as a bullet.
type line struct {
	text  string
	level int
}

func linesOf(text string) []line {
	var out []line
	for _, s := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		out = append(out, line{text: s})
	}
	return out
}

// bulletsOf reads the depth of each item from the tabs before it.
func bulletsOf(items []string) []line {
	var out []line
	for _, item := range items {
		text := strings.TrimLeft(item, "\t")
		out = append(out, line{text, min(len(item)-len(text), 8)})
	}
	return out
}

// setLines replaces the paragraphs of a text by new ones that are formatted like
// the first.
func setLines(body *ooxml.Node, all []line) error {
	var like *ooxml.Node
	for n := range body.Elements() {
		if n.Name == "a:p" {
			if like == nil {
				like = n
			}
			n.Remove()
		}
	}
	return addLines(body, like, all)
}

// addLines adds paragraphs formatted like another one, which can be nil.
func addLines(body, like *ooxml.Node, all []line) error {
	for _, l := range all {
		nodes, err := body.Fragment("<a:p></a:p>")
		if err != nil {
			return err
		}
		p := nodes[0]
		body.Append(p)
		if props := like.Find("a:pPr"); props != nil {
			p.Append(props.Clone())
		}
		if err := setLevel(p, l.level); err != nil {
			return err
		}
		if l.text == "" {
			continue
		}
		for i, piece := range strings.Split(l.text, "\v") {
			if err := addRun(p, like, piece, i > 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func setLevel(p *ooxml.Node, level int) error {
	props := p.Find("a:pPr")
	if level == 0 {
		if props != nil {
			props.Unset("lvl")
		}
		return nil
	}
	if props == nil {
		nodes, err := p.Fragment("<a:pPr></a:pPr>")
		if err != nil {
			return err
		}
		p.Prepend(nodes...)
		props = nodes[0]
	}
	for _, own := range []string{"marL", "indent"} { // a level of the layout's brings its own
		props.Unset(own)
	}
	props.Set("lvl", strconv.Itoa(level))
	return nil
}

// addRun adds text to a paragraph, formatted like the first run of another
// paragraph.
func addRun(p, like *ooxml.Node, text string, afterBreak bool) error {
	code := "<a:r><a:t>" + ooxml.Escape(text) + "</a:t></a:r>"
	if afterBreak {
		code = "<a:br></a:br>" + code
	}
	nodes, err := p.Fragment(code)
	if err != nil {
		return err
	}
	p.Append(nodes...)
	if props := like.Find("a:r", "a:rPr"); props != nil {
		nodes[len(nodes)-1].Prepend(props.Clone())
	}
	return nil
}

// setTexts sets the title and the body of a slide.
func (p *Presentation) setTexts(part string, root *ooxml.Node, o *Operation) error {
	if o.Title != nil {
		shape, err := p.text(part, root, "title")
		if err != nil {
			return err
		}
		// A title is one paragraph.
		if err := setLines(shape, []line{{text: strings.ReplaceAll(*o.Title, "\n", "\v")}}); err != nil {
			return err
		}
	}
	if o.Text == nil && len(o.Items) == 0 {
		return nil
	}
	shape, err := p.text(part, root, "body")
	if err != nil {
		return err
	}
	all := bulletsOf(o.Items)
	if o.Text != nil {
		all = linesOf(*o.Text)
	}
	return setLines(shape, all)
}

// text returns the text of the slide's title or body. If the slide lacks a
// placeholder that its layout has, the placeholder is added to the slide.
func (p *Presentation) text(part string, root *ooxml.Node, want string) (*ooxml.Node, error) {
	shape := first(root, want)
	if shape == nil {
		_, l, err := p.related(part, "slideLayout")
		if err != nil {
			return nil, err
		}
		from := first(l, want)
		if from == nil {
			return nil, ooxml.Invalid("Use a slide of another layout, or replace text that is there.",
				"the slide has no %s, and neither has its layout", want)
		}
		if shape, err = addPlaceholder(root, from); err != nil {
			return nil, err
		}
	}
	body := shape.Find("p:txBody")
	if body == nil {
		nodes, err := shape.Fragment("<p:txBody><a:bodyPr/><a:lstStyle/></p:txBody>")
		if err != nil {
			return nil, err
		}
		shape.Append(nodes...)
		body = nodes[0]
	}
	return body, nil
}

func (p *Presentation) appendBullets(part string, root *ooxml.Node, items []string) error {
	body, err := p.text(part, root, "body")
	if err != nil {
		return err
	}
	var like *ooxml.Node
	for n := range body.Elements() {
		if n.Name == "a:p" && strings.TrimSpace(textOf(n)) == "" {
			n.Remove() // an empty body has one empty paragraph
		} else if n.Name == "a:p" {
			like = n
		}
	}
	return addLines(body, like, bulletsOf(items))
}
