package pptx

import (
	"io"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// maxSlides bounds what a list can cost that names the same slides over and over.
const maxSlides = 10_000

// Presentation is an open presentation. It is safe for one goroutine.
type Presentation struct {
	pkg    *ooxml.Package
	main   string
	root   *ooxml.Node
	slides []string // parts, in the order in which they are shown
}

// Open reads a presentation. r must stay open as long as it is used.
func Open(r io.ReaderAt, size int64) (*Presentation, error) {
	pkg, err := ooxml.Open(r, size)
	if err != nil {
		return nil, err
	}
	p := &Presentation{pkg: pkg}
	if p.main, err = pkg.Main(); err != nil {
		return nil, err
	}
	tree, err := pkg.Tree(p.main)
	if err != nil {
		return nil, err
	}
	if p.root = tree.Root; p.root.Name != "p:presentation" {
		return nil, ooxml.WrongFormat("this is not a presentation: it is %s", kindOf(p.root.Name))
	}
	for n := range p.root.Find("p:sldIdLst").Elements() {
		if len(p.slides) == maxSlides {
			return nil, ooxml.TooLarge(p.main, "it lists more than %d slides", maxSlides)
		}
		rel, ok := pkg.Target(p.main, n.Attr("r:id"))
		if !ok || !pkg.Has(rel.Target) {
			return nil, ooxml.Damaged(p.main, "slide %d is missing", len(p.slides))
		}
		p.slides = append(p.slides, rel.Target)
	}
	return p, nil
}

func kindOf(root string) string {
	switch root {
	case "s:workbook":
		return "a workbook"
	case "w:document":
		return "a document of a word processor"
	}
	return "something else"
}

// slide returns the part and the root of a slide, by its index.
func (p *Presentation) slide(index int) (part string, root *ooxml.Node, err error) {
	if index < 0 || index >= len(p.slides) {
		if len(p.slides) == 0 {
			return "", nil, ooxml.Invalid("Add a slide first.", "the presentation has no slides")
		}
		return "", nil, ooxml.Invalid("Slides are counted from 0.", "there is no slide %d: the last is %d", index, len(p.slides)-1)
	}
	part = p.slides[index]
	root, err = p.rootOf(part)
	return part, root, err
}

func (p *Presentation) rootOf(part string) (*ooxml.Node, error) {
	tree, err := p.pkg.Tree(part)
	if err != nil {
		return nil, err
	}
	return tree.Root, nil
}

// related returns the part of that kind to which a part is related, and its root;
// nil if there is none.
func (p *Presentation) related(part, kind string) (string, *ooxml.Node, error) {
	target, err := p.pkg.Related(part, kind)
	if err != nil || target == "" || !p.pkg.Has(target) {
		return "", nil, err
	}
	root, err := p.rootOf(target)
	return target, root, err
}

// layout is a layout for slides.
type layout struct {
	part, name, kind string
	root             *ooxml.Node
}

// layouts lists those of all masters, in their order.
func (p *Presentation) layouts() ([]layout, error) {
	var out []layout
	for n := range p.root.Find("p:sldMasterIdLst").Elements() {
		master, ok := p.pkg.Target(p.main, n.Attr("r:id"))
		if !ok || !p.pkg.Has(master.Target) {
			continue
		}
		root, err := p.rootOf(master.Target)
		if err != nil {
			return nil, err
		}
		for l := range root.Find("p:sldLayoutIdLst").Elements() {
			rel, ok := p.pkg.Target(master.Target, l.Attr("r:id"))
			if !ok || !p.pkg.Has(rel.Target) {
				continue
			}
			root, err := p.rootOf(rel.Target)
			if err != nil {
				return nil, err
			}
			out = append(out, layout{rel.Target, root.Find("p:cSld").Attr("name"), root.Attr("type"), root})
		}
	}
	return out, nil
}

// pick finds a layout by its name; without one, that for a title and contents.
func pick(all []layout, name string) (layout, error) {
	if len(all) == 0 {
		return layout{}, ooxml.Damaged("", "the presentation has no layouts")
	}
	var names []string
	for _, l := range all {
		if name != "" && strings.EqualFold(l.name, name) || name == "" && l.kind == "obj" {
			return l, nil
		}
		names = append(names, l.name)
	}
	if name == "" {
		return all[min(1, len(all)-1)], nil
	}
	return layout{}, ooxml.Invalid("The layouts are "+strings.Join(names, ", ")+".", "there is no layout %q", name)
}

// Receipt is what the file says of its figures, as it was stored; "" if nothing.
func (p *Presentation) Receipt() (string, error) { return p.pkg.LongProperty(ooxml.Receipt) }
