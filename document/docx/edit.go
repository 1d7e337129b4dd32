package docx

import (
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Edit applies operations to a document and writes the result to w. If it returns
// an error, no operation has been applied, and what has been written to w must
// not be used.
func Edit(r io.ReaderAt, size int64, w io.Writer, ops []Operation, options Options) (*Report, error) {
	if err := ooxml.CheckCount(len(ops)); err != nil {
		return nil, err
	}
	d, err := Open(r, size)
	if err != nil {
		return nil, err
	}
	report := &Report{Results: []Result{}}
	for i := range ops {
		result, err := d.apply(&ops[i], options)
		if err != nil {
			return nil, ooxml.At(i, ops[i].Op, err)
		}
		report.Results = append(report.Results, result)
	}
	if d.pkg.Signed() {
		report.Tell(ooxml.Unsigned("the document"))
	}
	if options.Receipt != "" {
		if err := d.pkg.SetLongProperty(ooxml.Receipt, options.Receipt); err != nil {
			return nil, err
		}
	}
	return report, d.pkg.Write(w)
}

func (d *Document) apply(o *Operation, options Options) (Result, error) {
	result := Result{Op: o.Op}
	if err := o.check(); err != nil {
		return result, err
	}
	switch o.Op {
	case ReplaceText:
		n, err := d.replace(o)
		result.Replaced = n
		return result, err
	case AcceptChanges, RejectChanges:
		n, err := d.settle(o)
		result.Settled = n
		return result, err
	case AddLink:
		return result, d.addLink(o)
	case AddComment:
		return result, d.addComment(o)
	}
	text, err := d.build(o, options)
	if err != nil {
		return result, err
	}
	d.pkg.Touch(d.main)
	return result, d.insert(o, text)
}

// replace replaces text in all parts that contain paragraphs.
func (d *Document) replace(o *Operation) (int, error) {
	parts, err := d.texts()
	if err != nil {
		return 0, err
	}
	finder, total := ooxml.NewFinder(o.Search, o.AnyCase), 0
	for _, part := range parts {
		tree, err := d.pkg.Tree(part)
		if err != nil {
			return 0, err
		}
		found, err := d.replaceIn(tree.Root, finder, o)
		if err != nil {
			return 0, err
		}
		if found > 0 {
			d.pkg.Touch(part)
		}
		if total += found; o.First && total > 0 {
			return total, nil
		}
	}
	if total == 0 {
		e := ooxml.Invalid("Read the document and give the text as it is there, within one paragraph.", "%q does not occur in the document",
			o.Search)
		if !o.AnyCase {
			e.Hint += " Upper and lower case count."
		}
		return 0, e
	}
	return total, nil
}

// replaceIn replaces text in all paragraphs below root. Where a paragraph has an
// alternative form for older programs, that form is changed as well, but counted
// only once.
func (d *Document) replaceIn(root *ooxml.Node, finder ooxml.Finder, o *Operation) (total int, err error) {
	most := -1
	if o.First {
		most = 1
	}
	for p := range root.All(nil) {
		if p.Name != "w:p" {
			continue
		}
		if o.Track != "" {
			found, err := d.replaceTracked(p, finder, o, most)
			if err != nil {
				return 0, err
			}
			if total += found; o.First && found > 0 {
				return total, nil
			}
			continue
		}
		pieces := segments(p)
		found, changed := finder.Replace(pieces, o.Replace, most)
		for i, s := range pieces {
			if !changed[i] {
				continue
			}
			if s.Fixed {
				s.Node.Remove()
			} else if err := setText(s.Node, s.Text); err != nil {
				return 0, err
			}
		}
		if !within(p, "mc:Fallback") {
			total += found
		}
		if o.First && found > 0 {
			return total, nil
		}
	}
	return total, nil
}

func within(n *ooxml.Node, name string) bool {
	for ; n != nil; n = n.Parent {
		if n.Name == name {
			return true
		}
	}
	return false
}

// insert puts new elements where the operation says.
func (d *Document) insert(o *Operation, text string) error {
	nodes, err := d.body.Fragment(text)
	if err != nil {
		return err
	}
	if o.Track != "" {
		if err := d.tracked(nodes, o.Track); err != nil {
			return err
		}
	}
	switch {
	case o.Before != "":
		p, err := d.paragraph(o.Before)
		if err == nil {
			p.Before(nodes...)
		}
		return err
	case o.After != "":
		p, err := d.paragraph(o.After)
		if err == nil {
			p.After(nodes...)
		}
		return err
	case o.Section != "":
		return d.atEnd(o.Section, nodes)
	}
	d.append(nodes)
	return nil
}

// append adds nodes at the end of the body, before the element with the layout of
// the last pages. Some programs write that element first, and then nothing is
// behind the nodes.
func (d *Document) append(nodes []*ooxml.Node) {
	var last *ooxml.Node
	for n := range d.body.Elements() {
		last = n
	}
	if last != nil && last.Name == "w:sectPr" {
		last.Before(nodes...)
	} else {
		d.body.Append(nodes...)
	}
}

// atEnd puts nodes behind the last block of a section.
func (d *Document) atEnd(name string, nodes []*ooxml.Node) error {
	all := d.sections()
	from, to, err := pick(all, name)
	if err != nil {
		return err
	}
	last := all[from].head
	for _, s := range all[from:to] {
		if s.head != nil {
			last = s.head
		}
		if n := len(s.blocks); n > 0 {
			last = s.blocks[n-1]
		}
	}
	if last == nil { // section 0 is empty
		d.body.Prepend(nodes...)
		return nil
	}
	for last.Parent != d.body {
		last = last.Parent
	}
	last.After(nodes...)
	return nil
}

// paragraph finds the only paragraph of the body that contains the text.
func (d *Document) paragraph(text string) (*ooxml.Node, error) {
	var exact, holding []*ooxml.Node
	for n := range d.body.All(func(n *ooxml.Node) bool { return aside(n) && n.Name != "w:txbxContent" }) {
		if n.Name != "w:p" {
			continue
		}
		switch t := textOf(n); {
		case strings.TrimSpace(t) == strings.TrimSpace(text):
			exact = append(exact, n)
		case strings.Contains(t, text):
			holding = append(holding, n)
		}
	}
	found := exact
	if len(exact) == 0 {
		found = holding
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, ooxml.Invalid("Read the document and give the text as it is there.", "no paragraph has the text %q", text)
	}
	return nil, ooxml.Invalid("Give more of the paragraph's text.", "%s have the text %q", fmt.Sprintf("%d paragraphs", len(found)), text)
}
