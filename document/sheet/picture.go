package sheet

import (
	"fmt"

	"github.com/agnes-data/da/document/ooxml"
)

const (
	drawingType  = "application/vnd.openxmlformats-officedocument.drawing+xml"
	drawingSpace = `xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
)

// addPicture puts a picture over a sheet, with its corner in a cell. Its size does
// not change with the cells.
func (e *editor) addPicture(s *sheetPart, o *Operation) error {
	at, err := o.start()
	if err == nil {
		err = ooxml.CheckText("the description", o.Alt)
	}
	if err != nil {
		return err
	}
	if e.options.Picture == nil {
		return ooxml.Invalid("", "pictures cannot be read here: %s", o.Picture)
	}
	data, err := e.options.Picture(o.Picture)
	if err != nil {
		return err
	}
	pic, err := e.pkg.AddPicture(partBeside(e.main, "media"), data)
	if err != nil {
		return err
	}
	width := pic.Width * ooxml.EMUPerPixel
	if o.WidthCM > 0 {
		width = int(o.WidthCM * ooxml.EMUPerCM)
	}
	return e.anchor(s, at, width, max(width*pic.Height/max(pic.Width, 1), 1), "image", pic.Part, func(number int, id, extent string) string {
		return fmt.Sprintf(`<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="%d" name="Picture %d" descr="%s"/><xdr:cNvPicPr><a:picLocks noChangeAspect="1"/></xdr:cNvPicPr></xdr:nvPicPr>`+
			`<xdr:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill>`+
			`<xdr:spPr><a:xfrm><a:off x="0" y="0"/>%s</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic>`,
			number, number, ooxml.Escape(o.Alt), id, extent)
	})
}

// anchor puts an object over a sheet, with its corner in a cell. It shows another part,
// to which the drawing has a relationship of that kind.
func (e *editor) anchor(s *sheetPart, at cell, width, height int, kind, shows string,
	object func(number int, id, extent string) string) error {
	part, root, err := e.drawing(s)
	if err != nil {
		return err
	}
	id, err := e.pkg.Relate(part, kind, shows)
	if err != nil {
		return err
	}
	number := 1
	for n := range root.All(nil) {
		if n.Name == "xdr:cNvPr" {
			number = max(number, n.Int("id", 0)+1)
		}
	}
	extent := fmt.Sprintf(`cx="%d" cy="%d"`, width, height)
	nodes, err := root.Fragment(fmt.Sprintf(`<xdr:oneCellAnchor><xdr:from><xdr:col>%d</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>%d</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext %s/>`+
		`%s<xdr:clientData/></xdr:oneCellAnchor>`, at.col-1, at.row-1, extent, object(number, id, "<a:ext "+extent+"/>")))
	if err != nil {
		return err
	}
	root.Append(nodes...)
	return nil
}

// drawing returns the drawing part of a sheet, and creates it if it does not
// exist.
func (e *editor) drawing(s *sheetPart) (string, *ooxml.Node, error) {
	n, err := s.layout.child("drawing")
	if err != nil {
		return "", nil, err
	}
	if rel, ok := e.pkg.Target(s.part, n.Attr("r:id")); ok && e.pkg.Has(rel.Target) {
		tree, err := e.pkg.Tree(rel.Target)
		if err != nil {
			return "", nil, err
		}
		e.pkg.Touch(rel.Target)
		return rel.Target, tree.Root, nil
	}
	part := e.pkg.Free(partBeside(e.main, "drawings/drawing"), ".xml")
	tree, err := e.pkg.NewTree(part, drawingType, `<xdr:wsDr `+drawingSpace+`></xdr:wsDr>`)
	if err != nil {
		return "", nil, err
	}
	id, err := e.pkg.Relate(s.part, "drawing", part)
	if err != nil {
		return "", nil, err
	}
	n.Set("r:id", id)
	s.layout.changed = true
	return part, tree.Root, nil
}
