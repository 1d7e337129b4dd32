package pptx

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/agnes-data/da/document/ooxml"
)

// addComment puts a comment on a slide, where left_cm and top_cm say.
func (p *Presentation) addComment(slide string, o *Operation) error {
	name := cmp.Or(o.Author, "da")
	if err := ooxml.CheckText("the author", name); err != nil {
		return err
	}
	part, list, err := p.related(slide, "comments")
	if err != nil {
		return err
	}
	if list == nil {
		if part, list, err = p.newList(slide, "comments", "comments/comment", `<p:cmLst`+spaces+`></p:cmLst>`); err != nil {
			return err
		}
	}
	if list.Name != "p:cmLst" {
		return ooxml.Invalid("Put it into the notes, with set_notes.", "the slide has comments of a newer kind, which are kept as they are")
	}
	author, number, err := p.author(name)
	if err != nil {
		return err
	}
	const perCM = 576 / 2.54 // the unit of places of comments
	comment, err := list.Fragment(fmt.Sprintf(`<p:cm authorId="%d" dt="%s" idx="%d"><p:pos x="%.0f" y="%.0f"/><p:text>%s</p:text></p:cm>`, author,
		time.Now().UTC().Format("2006-01-02T15:04:05.000"), number, o.LeftCM*perCM, o.TopCM*perCM, ooxml.Escape(deref(o.Text))))
	if err != nil {
		return err
	}
	list.Append(comment...)
	p.pkg.Touch(part)
	return nil
}

// author finds or adds one of comments: their id, and the number of their next comment.
func (p *Presentation) author(name string) (id, number int, err error) {
	part, list, err := p.related(p.main, "commentAuthors")
	if err == nil && list == nil {
		part, list, err = p.newList(p.main, "commentAuthors", "commentAuthors", `<p:cmAuthorLst`+spaces+`></p:cmAuthorLst>`)
	}
	if err != nil {
		return 0, 0, err
	}
	p.pkg.Touch(part)
	for n := range list.Elements() {
		if n.Attr("name") == name {
			number = n.Int("lastIdx", 0) + 1
			n.Set("lastIdx", fmt.Sprint(number))
			return n.Int("id", 0), number, nil
		}
		id = max(id, n.Int("id", 0)+1)
	}
	initial := []rune(name)[0]
	one, err := list.Fragment(fmt.Sprintf(`<p:cmAuthor id="%d" name="%s" initials="%s" lastIdx="1" clrIdx="%d"/>`, id, ooxml.Escape(name),
		ooxml.Escape(string(initial)), id))
	if err == nil {
		list.Append(one...)
	}
	return id, 1, err
}

// newList adds a part that from relates to.
func (p *Presentation) newList(from, kind, name, text string) (string, *ooxml.Node, error) {
	part := p.pkg.Free(path.Join(path.Dir(p.main), name), ".xml")
	tree, err := p.pkg.NewTree(part, slideType+kind+"+xml", text)
	if err != nil {
		return "", nil, err
	}
	_, err = p.pkg.Relate(from, kind, part)
	return part, tree.Root, err
}

// comments are those of a slide, of either kind, as lines.
func (p *Presentation) comments(slide string) (out []string, err error) {
	_, list, err := p.related(slide, "comments")
	if err != nil || list == nil {
		return nil, err
	}
	names := map[string]string{}
	for _, kind := range []string{"commentAuthors", "authors"} {
		_, authors, err := p.related(p.main, kind)
		if err != nil {
			return nil, err
		}
		if authors != nil {
			for n := range authors.Elements() {
				names[n.Attr("id")] = n.Attr("name")
			}
		}
	}
	for n := range list.All(nil) {
		if kind := n.Name[strings.Index(n.Name, ":")+1:]; kind != "cm" && kind != "reply" {
			continue
		}
		text := n.Find("p:text").Text()
		for c := range n.Elements() {
			if strings.HasSuffix(c.Name, "txBody") {
				text = strings.Join(lines(c), "\n")
			}
		}
		out = append(out, cmp.Or(names[n.Attr("authorId")], "somebody")+": "+text)
	}
	return out, nil
}
