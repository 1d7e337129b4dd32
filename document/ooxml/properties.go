package ooxml

import (
	"slices"
	"strconv"
	"strings"
)

// Properties returns the title and the author that a package names.
func (p *Package) Properties() (title, author string, err error) {
	part, err := p.Related("", "core-properties")
	if err != nil || part == "" || !p.Has(part) {
		return "", "", err
	}
	tree, err := p.Tree(part)
	if err != nil {
		return "", "", err
	}
	return tree.Root.Find("dc:title").Text(), tree.Root.Find("dc:creator").Text(), nil
}

// A property holds 255 characters in some programs, so a long text is divided
// among several, whose names end with numbers from 1.
const (
	propertyPart = 240 // characters of one
	customPart   = "docProps/custom.xml"
)

// Receipt is the property with which files say what their figures rest on.
const Receipt = "da.receipt"

// LongProperty returns a text that SetLongProperty has stored, "" if there is none.
func (p *Package) LongProperty(name string) (string, error) {
	part, err := p.Related("", "custom-properties")
	if err != nil || part == "" || !p.Has(part) {
		return "", err
	}
	tree, err := p.Tree(part)
	if err != nil {
		return "", err
	}
	parts := map[string]string{}
	for n := range tree.Root.Elements() {
		if strings.HasPrefix(n.Attr("name"), name+".") {
			parts[n.Attr("name")] = n.Find("vt:lpwstr").Text()
		}
	}
	var text strings.Builder
	for i := range len(parts) {
		text.WriteString(parts[name+"."+strconv.Itoa(i+1)])
	}
	return text.String(), nil
}

// SetLongProperty stores a text in the custom properties, which programs keep when
// they save a file. "" removes it.
func (p *Package) SetLongProperty(name, text string) error {
	part, err := p.Related("", "custom-properties")
	if err != nil {
		return err
	}
	if part == "" {
		if text == "" {
			return nil
		}
		part = customPart
		if _, err := p.Relate("", "custom-properties", part); err != nil {
			return err
		}
	}
	if !p.Has(part) {
		if _, err := p.NewTree(part, "application/vnd.openxmlformats-officedocument.custom-properties+xml",
			`<Properties xmlns="`+namespaces()["cp"]+`" xmlns:vt="`+namespaces()["vt"]+`"></Properties>`); err != nil {
			return err
		}
	}
	tree, err := p.Tree(part)
	if err != nil {
		return err
	}
	p.Touch(part)
	last := 1 // the ids of properties begin at 2
	for _, n := range slices.Collect(tree.Root.Elements()) {
		if strings.HasPrefix(n.Attr("name"), name+".") {
			n.Remove()
		} else if id, err := strconv.Atoi(n.Attr("pid")); err == nil {
			last = max(last, id)
		}
	}
	i := 0
	for piece := range slices.Chunk([]rune(text), propertyPart) {
		i++
		nodes, err := tree.Root.Fragment(`<cp:property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="` + strconv.Itoa(last+i) +
			`" name="` + Escape(name) + "." + strconv.Itoa(i) +
			`"><vt:lpwstr>` + Escape(string(piece)) + `</vt:lpwstr></cp:property>`)
		if err != nil {
			return err
		}
		tree.Root.Append(nodes...)
	}
	return nil
}
