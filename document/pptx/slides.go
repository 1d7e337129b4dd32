package pptx

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

const slideType = "application/vnd.openxmlformats-officedocument.presentationml."

const spaces = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
	` xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

// emptyTree is a slide's tree of shapes with nothing in it.
const emptyTree = `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/></p:spTree></p:cSld>`

// addSlide makes a slide from a layout, fills it and returns its index.
func (p *Presentation) addSlide(o *Operation) (int, error) {
	all, err := p.layouts()
	if err != nil {
		return 0, err
	}
	l, err := pick(all, o.Layout)
	if err != nil {
		return 0, err
	}
	at := len(p.slides)
	if o.To != nil {
		at = *o.To
	}
	if at < 0 || at > len(p.slides) {
		return 0, ooxml.Invalid("", "a slide can be put at 0 to %d, not at %d", len(p.slides), at)
	}
	part := p.pkg.Free(path.Join(path.Dir(p.main), "slides/slide"), ".xml")
	tree, err := p.pkg.NewTree(part, slideType+"slide+xml",
		`<p:sld`+spaces+`>`+emptyTree+`<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`)
	if err != nil {
		return 0, err
	}
	if _, err := p.pkg.Relate(part, "slideLayout", l.part); err != nil {
		return 0, err
	}
	for _, shape := range shapes(l.root) {
		if r := role(shape); shape.Name == "p:sp" && (r == "title" || r == "body") {
			if _, err := addPlaceholder(tree.Root, shape); err != nil {
				return 0, err
			}
		}
	}
	if err := p.enlist(part, at); err != nil {
		return 0, err
	}
	return at, p.setTexts(part, tree.Root, o)
}

// addPlaceholder puts a placeholder of a layout on a slide, empty.
func addPlaceholder(root, from *ooxml.Node) (*ooxml.Node, error) {
	spTree := root.Find("p:cSld", "p:spTree")
	name := from.Find("p:nvSpPr", "p:cNvPr").Attr("name")
	nodes, err := spTree.Fragment(fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="%s"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr></p:nvPr></p:nvSpPr>`+
		`<p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/><a:p></a:p></p:txBody></p:sp>`, freeID(root), ooxml.Escape(name)))
	if err != nil {
		return nil, err
	}
	ph := `<p:ph`
	for _, attr := range []string{"type", "orient", "sz", "idx", "hasCustomPrompt"} {
		if v, ok := placeholder(from).Lookup(attr); ok && attr != "hasCustomPrompt" {
			ph += ` ` + attr + `="` + ooxml.Escape(v) + `"`
		}
	}
	marks, err := spTree.Fragment(ph + `/>`)
	if err != nil {
		return nil, err
	}
	nodes[0].Find("p:nvSpPr", "p:nvPr").Append(marks...)
	spTree.Append(nodes...)
	return nodes[0], nil
}

// freeID is a number that no shape of a slide has.
func freeID(root *ooxml.Node) int {
	id := 1
	for n := range root.All(nil) {
		if n.Name == "p:cNvPr" {
			id = max(id, n.Int("id", 0))
		}
	}
	return id + 1
}

// enlist adds a slide to the list of visible slides.
func (p *Presentation) enlist(part string, at int) error {
	id, err := p.pkg.Relate(p.main, "slide", part)
	if err != nil {
		return err
	}
	list := p.root.Find("p:sldIdLst")
	if list == nil {
		nodes, err := p.root.Fragment("<p:sldIdLst></p:sldIdLst>")
		if err != nil {
			return err
		}
		list = nodes[0]
		after := p.root.Find("p:sldMasterIdLst")
		for _, name := range []string{"p:notesMasterIdLst", "p:handoutMasterIdLst"} {
			if n := p.root.Find(name); n != nil {
				after = n
			}
		}
		after.After(list)
	}
	number := 256 // the ids of slides start at 256
	for n := range list.Elements() {
		number = max(number, n.Int("id", 0)+1)
	}
	nodes, err := list.Fragment(fmt.Sprintf(`<p:sldId id="%d" r:id="%s"/>`, number, id))
	if err != nil {
		return err
	}
	list.Append(nodes...)
	p.slides = append(p.slides, part)
	p.pkg.Touch(p.main)
	return p.moveSlide(len(p.slides)-1, at)
}

// moveSlide moves a slide to another position.
func (p *Presentation) moveSlide(from, to int) error {
	if to < 0 || to >= len(p.slides) {
		return ooxml.Invalid("", "a slide can be moved to 0 to %d, not to %d", len(p.slides)-1, to)
	}
	list := p.root.Find("p:sldIdLst")
	var entries []*ooxml.Node
	for n := range list.Elements() {
		entries = append(entries, n)
		n.Remove()
	}
	entry, slide := entries[from], p.slides[from]
	entries = slices.Insert(slices.Delete(entries, from, from+1), to, entry)
	p.slides = slices.Insert(slices.Delete(p.slides, from, from+1), to, slide)
	list.Append(entries...)
	p.pkg.Touch(p.main)
	return nil
}

// deleteSlide deletes a slide and everything that only it uses; otherwise
// pictures and notes that nobody sees would stay in the file.
func (p *Presentation) deleteSlide(index int, report *Report) error {
	part := p.slides[index]
	var entry *ooxml.Node
	at := 0
	for n := range p.root.Find("p:sldIdLst").Elements() {
		if at == index {
			entry = n
		}
		at++
	}
	number, rel := entry.Attr("id"), entry.Attr("r:id")
	entry.Remove()
	for n := range p.root.All(nil) { // sections and custom shows name slides as well
		if strings.HasSuffix(n.Name, ":sldId") && n.Attr("id") == number || n.Name == "p:sld" && n.Attr("r:id") == rel {
			n.Remove()
		}
	}
	p.pkg.Touch(p.main)
	p.slides = slices.Delete(p.slides, index, index+1)
	if err := p.pkg.Unrelate(p.main, rel); err != nil {
		return err
	}
	if err := p.unlink(part, report); err != nil {
		return err
	}
	return p.pkg.RemoveWithOwn(part)
}

// unlink takes links to a slide away from the others: they would lead nowhere.
func (p *Presentation) unlink(target string, report *Report) error {
	for i, part := range p.slides {
		all, err := p.pkg.Relations(part)
		if err != nil {
			return err
		}
		for _, r := range all {
			if r.Target != target || r.External {
				continue
			}
			root, err := p.rootOf(part)
			if err != nil {
				return err
			}
			for n := range root.All(nil) {
				if strings.HasPrefix(n.Name, "a:hlink") && n.Attr("r:id") == r.ID {
					n.Remove()
				}
			}
			p.pkg.Touch(part)
			if err := p.pkg.Unrelate(part, r.ID); err != nil {
				return err
			}
			report.Tell(api.NewCaveat(api.CaveatOther, "slide %d had a link to the deleted slide, which is gone", i))
		}
	}
	return nil
}
