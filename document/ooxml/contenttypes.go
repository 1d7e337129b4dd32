package ooxml

import (
	"path"
	"strings"
)

const contentTypesPart = "[Content_Types].xml"

// contentTypes lists the content types of the parts.
type contentTypes struct {
	tree  *Tree
	dirty bool
}

func (p *Package) readTypes() (*contentTypes, error) {
	if !p.Has(contentTypesPart) {
		return nil, WrongFormat("this is an archive, but no document of an office program")
	}
	text, err := p.Read(contentTypesPart)
	if err != nil {
		return nil, err
	}
	tree, err := Parse(contentTypesPart, text)
	if err != nil {
		return nil, err
	}
	return &contentTypes{tree: tree}, nil
}

// Type returns the content type of a part, or "" if it has none.
func (p *Package) Type(part string) string {
	byDefault, ext := "", strings.TrimPrefix(path.Ext(part), ".")
	for n := range p.types.tree.Root.Elements() {
		switch {
		case n.Name == "ct:Override" && key(n.Attr("PartName")) == key(part):
			return n.Attr("ContentType")
		case n.Name == "ct:Default" && strings.EqualFold(n.Attr("Extension"), ext):
			byDefault = n.Attr("ContentType")
		}
	}
	return byDefault
}

// SetType sets the content type of a part.
func (p *Package) SetType(part, contentType string) error {
	if p.Type(part) == contentType {
		return nil
	}
	p.types.remove(part)
	return p.types.add(`<ct:Override PartName="/` + Escape(part) + `" ContentType="` + contentType + `"/>`)
}

// SetDefault sets the content type of parts with that extension, unless it is
// already set.
func (p *Package) SetDefault(extension, contentType string) error {
	if p.Type("x."+extension) != "" {
		return nil
	}
	return p.types.add(`<ct:Default Extension="` + extension + `" ContentType="` + contentType + `"/>`)
}

func (t *contentTypes) add(text string) error {
	nodes, err := t.tree.Root.Fragment(text)
	if err != nil {
		return err
	}
	if nodes[0].Name == "ct:Default" { // the standard lets them come in any order; some readers do not
		t.tree.Root.Prepend(nodes...)
	} else {
		t.tree.Root.Append(nodes...)
	}
	t.dirty = true
	return nil
}

func (t *contentTypes) remove(part string) {
	for n := range t.tree.Root.Elements() {
		if n.Name == "ct:Override" && key(n.Attr("PartName")) == key(part) {
			n.Remove()
			t.dirty = true
			return
		}
	}
}
