package pptx

import (
	"io"

	"github.com/agnes-data/da/document/ooxml"
)

// Edit applies operations to a presentation and writes the result to w. If it
// returns an error, no operation has been applied, and what has been written to w
// must not be used.
func Edit(r io.ReaderAt, size int64, w io.Writer, ops []Operation, options Options) (*Report, error) {
	if err := ooxml.CheckCount(len(ops)); err != nil {
		return nil, err
	}
	p, err := Open(r, size)
	if err != nil {
		return nil, err
	}
	report := &Report{Results: []Result{}}
	for i := range ops {
		result := Result{Op: ops[i].Op}
		err := ops[i].check()
		if err == nil {
			err = p.apply(&ops[i], options, &result, report)
		}
		if err != nil {
			return nil, ooxml.At(i, ops[i].Op, err)
		}
		report.Results = append(report.Results, result)
	}
	if p.pkg.Signed() {
		report.Tell(ooxml.Unsigned("the presentation"))
	}
	if options.Receipt != "" {
		if err := p.pkg.SetLongProperty(ooxml.Receipt, options.Receipt); err != nil {
			return nil, err
		}
	}
	return report, p.pkg.Write(w)
}

func (p *Presentation) apply(o *Operation, options Options, result *Result, report *Report) error {
	switch o.Op {
	case ReplaceText:
		n, err := p.replace(o)
		result.Replaced = n
		return err
	case AddSlide:
		at, err := p.addSlide(o)
		result.Index = &at
		return err
	}
	part, root, err := p.slide(*o.Index)
	if err != nil {
		return err
	}
	p.pkg.Touch(part)
	switch o.Op {
	case SetSlideText:
		return p.setTexts(part, root, o)
	case AppendBullets:
		return p.appendBullets(part, root, o.Items)
	case AddTable:
		return p.addTable(part, root, o)
	case AddPicture:
		return p.addPicture(part, root, o, options)
	case AddChart:
		return p.addChart(part, root, o)
	case AddLink:
		return p.addLink(part, root, o)
	case AddComment:
		return p.addComment(part, o)
	case SetNotes:
		return p.setNotes(part, *o.Text)
	case MoveSlide:
		result.Index = o.To
		return p.moveSlide(*o.Index, *o.To)
	case DeleteSlide:
		return p.deleteSlide(*o.Index, report)
	}
	return ooxml.UnknownOperation(o.Op, Operations())
}

// replace replaces text on one slide, or on all slides, in their notes and the
// titles of their charts.
func (p *Presentation) replace(o *Operation) (total int, err error) {
	slides := p.slides
	if o.Index != nil {
		part, _, err := p.slide(*o.Index)
		if err != nil {
			return 0, err
		}
		slides = []string{part}
	}
	finder := ooxml.NewFinder(o.Search, o.AnyCase)
	done := map[string]bool{"": true} // slides can share a chart, and a list can name a slide again
	for _, slide := range slides {
		if done[slide] {
			continue
		}
		notes, _, err := p.related(slide, "notesSlide")
		if err != nil {
			return 0, err
		}
		all, err := p.pkg.Relations(slide)
		if err != nil {
			return 0, err
		}
		parts := []string{slide, notes}
		for _, r := range all {
			if r.Kind == "chart" && !r.External {
				parts = append(parts, r.Target)
			}
		}
		for _, part := range parts {
			if done[part] || !p.pkg.Has(part) {
				continue
			}
			done[part] = true
			n, err := p.replaceIn(part, finder, o.Replace)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	if total == 0 {
		return 0, ooxml.Invalid("Read the slides and give the text as it is there, within one paragraph.", "%q does not occur", o.Search)
	}
	return total, nil
}

func (p *Presentation) replaceIn(part string, finder ooxml.Finder, replacement string) (total int, err error) {
	root, err := p.rootOf(part)
	if err != nil {
		return 0, err
	}
	for n := range root.All(skipped) {
		if n.Name != "a:p" {
			continue
		}
		pieces := segments(n)
		found, changed := finder.Replace(pieces, replacement, -1)
		for i, s := range pieces {
			if !changed[i] {
				continue
			}
			if s.Fixed {
				s.Node.Remove()
			} else if err := setPiece(s.Node, s.Text); err != nil {
				return 0, err
			}
		}
		total += found
	}
	if total > 0 {
		p.pkg.Touch(part)
	}
	return total, nil
}
