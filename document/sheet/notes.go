package sheet

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// addLink has a cell lead to an address, or to a place of the workbook.
func (e *editor) addLink(s *sheetPart, o *Operation) error {
	at, err := cellOf(o.Start)
	if err != nil {
		return err
	}
	target := fmt.Sprintf(`location="%s"`, ooxml.Escape(o.Link))
	if address, err := ooxml.CheckLink(o.Link); err == nil {
		id, err := e.pkg.RelateOutside(s.part, "hyperlink", address)
		if err != nil {
			return err
		}
		target = fmt.Sprintf(`r:id="%s"`, id)
	} else if i := strings.LastIndexByte(o.Link, '!'); i < 0 {
		return err
	} else if err := e.isPlace(o.Link[:i], o.Link[i+1:]); err != nil {
		return err
	}
	list, err := s.layout.child("hyperlinks")
	if err != nil {
		return err
	}
	for n := range list.Elements() {
		if n.Attr("ref") == at.String() {
			n.Remove()
		}
	}
	nodes, err := list.Fragment(fmt.Sprintf(`<s:hyperlink ref="%s" %s/>`, at, target))
	if err != nil {
		return err
	}
	list.Append(nodes...)
	s.layout.changed = true
	if o.Text != "" {
		if err := e.setCell(s, at, SetCell{Value: o.Text}); err != nil {
			return err
		}
	}
	underline := true
	return e.setFormat(s, &Operation{Range: at.String(), Format: &Format{Color: "#0563C1", Underline: &underline}})
}

// isPlace refuses a text that is not a range of a sheet.
func (e *editor) isPlace(sheet, ref string) error {
	_, err := areaOf(ref)
	if err == nil {
		_, err = e.sheet(strings.ReplaceAll(strings.Trim(sheet, "'"), "''", "'"))
	}
	return err
}

const (
	commentsType = sheetType + "comments+xml"
	vmlType      = "application/vnd.openxmlformats-officedocument.vmlDrawing"
	blankVML     = `<xml xmlns:v="urn:schemas-microsoft-com:vml"></xml>`
)

// addComment puts a comment on a cell, and the box in which programs show it.
func (e *editor) addComment(s *sheetPart, o *Operation) error {
	at, err := cellOf(o.Start)
	if err == nil {
		err = ooxml.CheckText("the comment", o.Text+o.Author)
	}
	if err != nil {
		return err
	}
	root, err := e.partOf(s, "comments", "comments", commentsType,
		`<comments `+sheetSpace+`><authors></authors><commentList></commentList></comments>`)
	if err != nil {
		return err
	}
	authors, list := root.Find("s:authors"), root.Find("s:commentList")
	if authors == nil || list == nil {
		return ooxml.Damaged(s.part, "its comments have no list")
	}
	for n := range list.Elements() {
		if n.Attr("ref") == at.String() {
			return ooxml.Invalid("Choose another cell.", "%s has a comment already", at)
		}
	}
	author, number, count := cmp.Or(o.Author, "da"), -1, 0
	for n := range authors.Elements() {
		if n.Text() == author {
			number = count
		}
		count++
	}
	if number < 0 {
		nodes, err := authors.Fragment(`<s:author>` + ooxml.Escape(author) + `</s:author>`)
		if err != nil {
			return err
		}
		authors.Append(nodes...)
		number = count
	}
	nodes, err := list.Fragment(fmt.Sprintf(`<s:comment ref="%s" authorId="%d"><s:text><s:t xml:space="preserve">%s</s:t></s:text></s:comment>`, at, number, ooxml.Escape(o.Text)))
	if err != nil {
		return err
	}
	list.Append(nodes...)
	return e.addBox(s, at)
}

// addBox adds the box of a comment, which is hidden until the cell is pointed at.
func (e *editor) addBox(s *sheetPart, at cell) error {
	root, err := e.partOf(s, "vmlDrawing", "drawings/vmlDrawing", vmlType, blankVML)
	if err != nil {
		return err
	}
	rel := ""
	all, err := e.pkg.Relations(s.part)
	for _, r := range all {
		if r.Kind == "vmlDrawing" {
			rel = r.ID
		}
	}
	if err != nil {
		return err
	}
	legacy, err := s.layout.child("legacyDrawing")
	if err != nil {
		return err
	}
	if legacy.Attr("r:id") == "" {
		legacy.Set("r:id", rel)
		s.layout.changed = true
	}
	shapes := 1
	for range root.Elements() {
		shapes++
	}
	root.AppendRaw(fmt.Sprintf(`<v:shape xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel" id="_da_s%d" `+
		`style="position:absolute;margin-left:60pt;margin-top:2pt;width:160pt;height:60pt;z-index:%d;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto" path="m,l,21600r21600,l21600,xe">`+
		`<v:stroke joinstyle="miter"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>`+
		`<x:Anchor>%d, 15, %d, 2, %d, 15, %d, 4</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>%d</x:Row><x:Column>%d</x:Column></x:ClientData></v:shape>`,
		1024+shapes, shapes, at.col, at.row-1, at.col+2, at.row+3, at.row-1, at.col-1))
	return nil
}

// partOf returns the tree of the part of a sheet that is related as kind, and makes the
// part if it is not there.
func (e *editor) partOf(s *sheetPart, kind, name, contentType, blank string) (*ooxml.Node, error) {
	part, err := e.pkg.Related(s.part, kind)
	if err != nil {
		return nil, err
	}
	if part != "" && e.pkg.Has(part) {
		tree, err := e.pkg.Tree(part)
		if err != nil {
			return nil, err
		}
		e.pkg.Touch(part)
		return tree.Root, nil
	}
	ending := ".xml"
	if contentType == vmlType {
		ending = ".vml"
	}
	part = e.pkg.Free(partBeside(e.main, name), ending)
	tree, err := e.pkg.NewTree(part, contentType, blank)
	if err != nil {
		return nil, err
	}
	_, err = e.pkg.Relate(s.part, kind, part)
	return tree.Root, err
}
