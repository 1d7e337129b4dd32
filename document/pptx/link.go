package pptx

import (
	"slices"

	"github.com/agnes-data/da/document/ooxml"
)

// addLink has a text of a slide lead to an address: the first in one paragraph.
func (p *Presentation) addLink(part string, root *ooxml.Node, o *Operation) error {
	address, err := ooxml.CheckLink(o.Link)
	if err != nil {
		return err
	}
	finder := ooxml.NewFinder(o.Search, o.AnyCase)
	for n := range root.All(skipped) {
		if n.Name != "a:p" {
			continue
		}
		pieces := segments(n)
		hits := finder.Find(ooxml.Joined(pieces), 1)
		if len(hits) == 0 {
			continue
		}
		runs := runsOf(pieces, hits[0][0], hits[0][1])
		if len(runs) == 0 {
			return ooxml.Invalid("Choose a text elsewhere.", "%q is within a field, which cannot be divided", o.Search)
		}
		id, err := p.pkg.RelateOutside(part, "hyperlink", address)
		if err != nil {
			return err
		}
		for _, run := range runs {
			if err := link(run, id); err != nil {
				return err
			}
		}
		return nil
	}
	return ooxml.Invalid("Read the slide and give the text as it is there, within one paragraph.", "%q does not occur", o.Search)
}

// runsOf returns the runs that hold the bytes from to to of a paragraph's text, and
// nothing else; none if a part of it is in something else than runs.
func runsOf(pieces []ooxml.Segment, from, to int) (runs []*ooxml.Node) {
	begin := 0
	for _, s := range pieces {
		first, last := max(from-begin, 0), min(to-begin, len(s.Text))
		begin += len(s.Text)
		if s.Fixed || first >= last {
			continue
		}
		run := s.Node.Parent
		if run.Name != "a:r" {
			return nil
		}
		if last < len(s.Text) {
			rest := run.Clone()
			rest.Find("a:t").SetText(s.Text[last:])
			run.After(rest)
		}
		if first > 0 {
			before := run.Clone()
			before.Find("a:t").SetText(s.Text[:first])
			run.Before(before)
		}
		s.Node.SetText(s.Text[first:last])
		runs = append(runs, run)
	}
	return runs
}

// link gives a run a link in place of one that it has.
func link(run *ooxml.Node, id string) error {
	look := run.Find("a:rPr")
	if look == nil {
		nodes, err := run.Fragment("<a:rPr></a:rPr>")
		if err != nil {
			return err
		}
		look = nodes[0]
		run.Prepend(look)
	}
	if old := look.Find("a:hlinkClick"); old != nil {
		old.Remove()
	}
	nodes, err := look.Fragment(`<a:hlinkClick r:id="` + id + `"/>`)
	if err != nil {
		return err
	}
	for n := range look.Elements() { // what stands behind it by the schema
		if slices.Contains([]string{"a:hlinkMouseOver", "a:rtl", "a:extLst"}, n.Name) {
			n.Before(nodes...)
			return nil
		}
	}
	look.Append(nodes...)
	return nil
}
