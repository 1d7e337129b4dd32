package docx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/document/ooxml"
)

// splitAt divides the runs of a paragraph so that one ends before the byte at of its
// text, and another begins there.
func splitAt(p *ooxml.Node, at int) error {
	begin := 0
	for _, s := range segments(p) {
		end := begin + len(s.Text)
		if begin < at && at < end && !s.Fixed {
			rest := s.Node.Clone()
			rest.Set("xml:space", "preserve")
			rest.SetText(s.Text[at-begin:])
			s.Node.Set("xml:space", "preserve")
			s.Node.SetText(s.Text[:at-begin])
			s.Node.After(rest)
			return splitRun(rest)
		}
		if begin == at && s.Text != "" {
			return splitRun(s.Node)
		}
		begin = end
	}
	return nil
}

// splitRun has a run begin with an element of another one.
func splitRun(n *ooxml.Node) error {
	run := n.Parent
	if run.Name != "w:r" {
		return ooxml.Invalid("Choose a text elsewhere.", "the text is within something that cannot be divided")
	}
	from := n.Index()
	if !slices.ContainsFunc(run.Children[:from], func(c *ooxml.Node) bool { return c.Name != "" && c.Name != "w:rPr" }) {
		return nil
	}
	next := run.Clone()
	for _, c := range slices.Clone(next.Children[:from]) {
		if c.Name != "w:rPr" {
			c.Remove()
		}
	}
	for _, c := range slices.Clone(run.Children[from:]) {
		c.Remove()
	}
	run.After(next)
	return nil
}

// runsOf returns the runs that hold the bytes from to to of a paragraph's text, and
// nothing else.
func runsOf(p *ooxml.Node, from, to int) (runs []*ooxml.Node, err error) {
	for _, at := range []int{from, to} {
		if err := splitAt(p, at); err != nil {
			return nil, err
		}
	}
	begin := 0
	for _, s := range segments(p) {
		end := begin + len(s.Text)
		if s.Text != "" && begin >= from && end <= to && !slices.Contains(runs, s.Node.Parent) {
			runs = append(runs, s.Node.Parent)
		}
		begin = end
	}
	return runs, nil
}

// around puts runs into a new element in their place. They are neighbours.
func around(runs []*ooxml.Node, element string) (*ooxml.Node, error) {
	nodes, err := runs[0].Fragment(element)
	if err != nil {
		return nil, err
	}
	runs[0].Before(nodes[0])
	for _, r := range runs {
		r.Remove()
		nodes[0].Append(r)
	}
	return nodes[0], nil
}

// change is the beginning of an element that tells who changed the document, and when.
func (d *Document) change(kind, author string) (string, error) {
	if d.marks == 0 {
		parts, err := d.texts()
		if err != nil {
			return "", err
		}
		for _, part := range parts {
			tree, err := d.pkg.Tree(part)
			if err != nil {
				return "", err
			}
			for n := range tree.Root.All(nil) {
				d.marks = max(d.marks, n.Int("w:id", 0))
			}
		}
	}
	d.marks++
	return fmt.Sprintf(`<w:%s w:id="%d" w:author="%s" w:date="%s"`, kind, d.marks, ooxml.Escape(author),
		time.Now().UTC().Format(time.RFC3339)), ooxml.CheckText("the author", author)
}

// replaceTracked replaces texts of a paragraph so that readers see the old and the new
// text, and can refuse the change. It returns how many there were.
func (d *Document) replaceTracked(p *ooxml.Node, finder ooxml.Finder, o *Operation, most int) (int, error) {
	hits := finder.Find(textOf(p), most)
	for _, hit := range slices.Backward(hits) {
		runs, err := runsOf(p, hit[0], hit[1])
		if err != nil || len(runs) == 0 {
			return 0, err
		}
		last := runs[len(runs)-1]
		for _, run := range runs {
			mark, err := d.change("del", o.Track)
			if err != nil {
				return 0, err
			}
			deleted, err := around([]*ooxml.Node{run}, mark+`></w:del>`)
			if err != nil {
				return 0, err
			}
			if run == last {
				last = deleted
			}
			for n := range run.Elements() {
				if n.Name != "w:t" {
					continue
				}
				nodes, err := run.Fragment(`<w:delText xml:space="preserve">` + ooxml.Escape(n.Text()) + `</w:delText>`)
				if err != nil {
					return 0, err
				}
				n.Before(nodes...)
				n.Remove()
			}
		}
		if o.Replace == "" {
			continue
		}
		mark, err := d.change("ins", o.Track)
		if err != nil {
			return 0, err
		}
		look := ""
		if rPr := runs[0].Find("w:rPr"); rPr != nil {
			look = rPr.String()
		}
		nodes, err := last.Parent.Fragment(mark + `><w:r>` + textElements(o.Replace) + `</w:r></w:ins>`)
		if err != nil {
			return 0, err
		}
		if look != "" {
			nodes[0].Find("w:r").Prepend(runs[0].Find("w:rPr").Clone())
		}
		last.After(nodes...)
	}
	return len(hits), nil
}

// tracked marks new paragraphs and rows of tables as inserted.
func (d *Document) tracked(nodes []*ooxml.Node, author string) error {
	insert := func(into *ooxml.Node) error {
		mark, err := d.change("ins", author)
		if err != nil {
			return err
		}
		marks, err := into.Fragment(mark + `/>`)
		if err == nil {
			into.Append(marks...)
		}
		return err
	}
	properties := func(n *ooxml.Node, name string, first bool) (*ooxml.Node, error) {
		if found := n.Find(name); found != nil {
			return found, nil
		}
		made, err := n.Fragment("<" + name + "></" + name + ">")
		if err != nil {
			return nil, err
		}
		if first {
			n.Prepend(made...)
		} else {
			n.Append(made...)
		}
		return made[0], nil
	}
	for _, top := range nodes {
		for n := range top.All(nil) {
			var into *ooxml.Node
			var err error
			switch n.Name {
			case "w:tr":
				into, err = properties(n, "w:trPr", true)
			case "w:p":
				if into, err = properties(n, "w:pPr", true); err == nil {
					into, err = properties(into, "w:rPr", false)
				}
				for run := range n.Elements() {
					if run.Name != "w:r" || err != nil {
						continue
					}
					var mark string
					if mark, err = d.change("ins", author); err == nil {
						_, err = around([]*ooxml.Node{run}, mark+`></w:ins>`)
					}
				}
			default:
				continue
			}
			if err == nil {
				err = insert(into)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// marked finds the only place in the body that has a text, or with first the first one,
// and returns its runs.
func (d *Document) marked(o *Operation) ([]*ooxml.Node, error) {
	finder, count := ooxml.NewFinder(o.Search, o.AnyCase), 0
	var in *ooxml.Node
	var at []int
	for p := range d.body.All(func(n *ooxml.Node) bool { return aside(n) }) {
		if p.Name != "w:p" {
			continue
		}
		hits := finder.Find(textOf(p), -1)
		if count == 0 && len(hits) > 0 {
			in, at = p, hits[0]
		}
		count += len(hits)
	}
	switch {
	case count == 0:
		return nil, ooxml.Invalid("Read the document and give the text as it is there, within one paragraph.",
			"%q does not occur in the document", o.Search)
	case count > 1 && !o.First:
		return nil, ooxml.Invalid("Give more of the text, or \"first\": true.", "%q occurs %d times", o.Search, count)
	}
	d.pkg.Touch(d.main)
	return runsOf(in, at[0], at[1])
}

// addLink has a text lead to an address.
func (d *Document) addLink(o *Operation) error {
	address, err := ooxml.CheckLink(o.Link)
	if err != nil {
		return err
	}
	runs, err := d.marked(o)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Parent != runs[0].Parent || within(r, "w:hyperlink") {
			return ooxml.Invalid("Choose a text elsewhere.", "%q is within a link or a change already", o.Search)
		}
	}
	id, err := d.pkg.RelateOutside(d.main, "hyperlink", address)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := lookLikeLink(r); err != nil {
			return err
		}
	}
	_, err = around(runs, `<w:hyperlink r:id="`+id+`"></w:hyperlink>`)
	return err
}

// runOrder is the order in which programs expect the properties of a run, up to what a
// link sets.
const runOrder = " rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u "

func lookLikeLink(run *ooxml.Node) error {
	look := run.Find("w:rPr")
	if look == nil {
		nodes, err := run.Fragment(`<w:rPr></w:rPr>`)
		if err != nil {
			return err
		}
		look = nodes[0]
		run.Prepend(look)
	}
	for _, one := range []struct{ name, text string }{{"color", `<w:color w:val="0563C1"/>`}, {"u", `<w:u w:val="single"/>`}} {
		if old := look.Find("w:" + one.name); old != nil {
			old.Remove()
		}
		nodes, err := look.Fragment(one.text)
		if err != nil {
			return err
		}
		var last *ooxml.Node
		for n := range look.Elements() {
			if at := strings.Index(runOrder, " "+strings.TrimPrefix(n.Name, "w:")+" "); at >= 0 && at < strings.Index(runOrder, " "+one.name+" ") {
				last = n
			}
		}
		if last != nil {
			last.After(nodes...)
		} else {
			look.Prepend(nodes...)
		}
	}
	return nil
}

// addComment puts a comment on a text.
func (d *Document) addComment(o *Operation) error {
	runs, err := d.marked(o)
	if err != nil {
		return err
	}
	part, tree, err := d.related("comments")
	if err != nil {
		return err
	}
	if tree == nil {
		if part = partBeside(d.main, "comments.xml"); d.pkg.Has(part) {
			part = d.pkg.Free(partBeside(d.main, "comments"), ".xml")
		}
		if tree, err = d.pkg.NewTree(part, wordType+"comments+xml",
			`<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"></w:comments>`); err != nil {
			return err
		}
		if _, err := d.pkg.Relate(d.main, "comments", part); err != nil {
			return err
		}
	}
	mark, err := d.change("comment", cmp.Or(o.Author, "da"))
	if err != nil {
		return err
	}
	comment, err := tree.Root.Fragment(mark + `><w:p><w:r>` + textElements(o.Text) + `</w:r></w:p></w:comment>`)
	if err != nil {
		return err
	}
	tree.Root.Append(comment...)
	d.pkg.Touch(part)
	id := fmt.Sprintf(`w:id="%d"/>`, d.marks)
	first, last := runs[0], runs[len(runs)-1]
	begin, err := first.Fragment(`<w:commentRangeStart ` + id)
	if err != nil {
		return err
	}
	end, err := last.Fragment(`<w:commentRangeEnd ` + id + `<w:r><w:commentReference ` + id + `</w:r>`)
	if err != nil {
		return err
	}
	first.Before(begin...)
	last.After(end...)
	return nil
}
