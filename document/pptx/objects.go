package pptx

import (
	"fmt"
	"path"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// frameFor returns the position of a new table or picture: the one given by the
// operation, or else that of an empty body, or else below the title.
func (p *Presentation) frameFor(part string, root *ooxml.Node, o *Operation) (frame, error) {
	width, height := p.size()
	f := frame{width / 20, height / 4, width * 9 / 10, height * 2 / 3}
	for _, shape := range shapes(root) {
		if role(shape) != "body" || shape.Name != "p:sp" || strings.TrimSpace(strings.Join(lines(shape), "")) != "" {
			continue
		}
		at, ok, err := p.frameOf(part, shape)
		if err != nil {
			return f, err
		}
		if ok && at.width > 0 && at.height > 0 {
			f = at
			shape.Remove()
			break
		}
	}
	if o.LeftCM != 0 || o.TopCM != 0 {
		f.x, f.y = int(o.LeftCM*ooxml.EMUPerCM), int(o.TopCM*ooxml.EMUPerCM)
		f.width, f.height = max(width-f.x-width/20, width/10), max(height-f.y-height/20, height/10)
	}
	if o.WidthCM > 0 {
		f.width = int(o.WidthCM * ooxml.EMUPerCM)
	}
	return f, nil
}

func (f frame) xml(prefix string) string {
	return fmt.Sprintf(`<%s:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></%s:xfrm>`, prefix, f.x, f.y, f.width, f.height, prefix)
}

const (
	maxRows    = 200
	maxColumns = 50
	rowHeight  = 370_840 // EMU; the usual height of a line of 18 points
	// Some programs do not know table styles, so rows are also separated by a
	// line.
	underline = `<a:lnB w="6350"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill></a:lnB>`
)

func (p *Presentation) addTable(part string, root *ooxml.Node, o *Operation) error {
	rows, width, err := ooxml.Texts(o.Rows, maxRows, maxColumns)
	if err != nil {
		return err
	}
	f, err := p.frameFor(part, root, o)
	if err != nil {
		return err
	}
	f.height = rowHeight * len(rows)
	header := ""
	if o.Header == nil || *o.Header {
		header = ` firstRow="1"`
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="%d" name="Table"/><p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr><p:nvPr/></p:nvGraphicFramePr>`, freeID(root))
	// Every program knows this style: lines between rows and a header with a
	// background.
	b.WriteString(f.xml("p") + `<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr` +
		header +
		` bandRow="1"><a:tableStyleId>{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}</a:tableStyleId></a:tblPr><a:tblGrid>`)
	b.WriteString(strings.Repeat(fmt.Sprintf(`<a:gridCol w="%d"/>`, f.width/width), width) + `</a:tblGrid>`)
	for i, row := range rows {
		look := `<a:rPr/>`
		if i == 0 && header != "" {
			look = `<a:rPr b="1"/>`
		}
		fmt.Fprintf(&b, `<a:tr h="%d">`, rowHeight)
		for c := range width {
			text := ""
			if c < len(row) && row[c] != "" {
				text = `<a:r>` + look + `<a:t>` + strings.ReplaceAll(ooxml.Escape(row[c]), "&#10;", `</a:t></a:r><a:br></a:br><a:r>`+look+`<a:t>`) +
					`</a:t></a:r>`
			}
			b.WriteString(`<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p>` + text + `</a:p></a:txBody><a:tcPr>` + underline + `</a:tcPr></a:tc>`)
		}
		b.WriteString(`</a:tr>`)
	}
	b.WriteString(`</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`)
	return appendShape(root, b.String())
}

func appendShape(root *ooxml.Node, text string) error {
	tree := root.Find("p:cSld", "p:spTree")
	if tree == nil {
		return ooxml.Damaged("", "the slide has no shapes' tree")
	}
	nodes, err := tree.Fragment(text)
	if err != nil {
		return err
	}
	if last := tree.Find("p:extLst"); last != nil {
		last.Before(nodes...)
	} else {
		tree.Append(nodes...)
	}
	return nil
}

func (p *Presentation) addPicture(part string, root *ooxml.Node, o *Operation, options Options) error {
	if options.Picture == nil {
		return ooxml.Invalid("", "pictures cannot be read here: %s", o.Picture)
	}
	data, err := options.Picture(o.Picture)
	if err != nil {
		return err
	}
	pic, err := p.pkg.AddPicture(path.Join(path.Dir(p.main), "media"), data)
	if err != nil {
		return err
	}
	id, err := p.pkg.Relate(part, "image", pic.Part)
	if err != nil {
		return err
	}
	f, err := p.frameFor(part, root, o)
	if err != nil {
		return err
	}
	room := f
	if f.height = f.width * pic.Height / max(pic.Width, 1); f.height > room.height && o.WidthCM == 0 {
		f.height, f.width = room.height, room.height*pic.Width/max(pic.Height, 1)
	}
	if o.LeftCM == 0 && o.TopCM == 0 { // in the middle of its room
		f.x += (room.width - f.width) / 2
	}
	return appendShape(root, fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr id="%d" name="Picture" descr="%s"/><p:cNvPicPr><a:picLocks noChangeAspect="1"/></p:cNvPicPr><p:nvPr/></p:nvPicPr>`+
		`<p:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>%s<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
		freeID(root), ooxml.Escape(o.Alt), id, f.xml("a")))
}

// addChart puts a chart on a slide, which programs change as one of their own.
func (p *Presentation) addChart(part string, root *ooxml.Node, o *Operation) error {
	chart, err := p.pkg.AddChart(p.main, &ooxml.Chart{Kind: o.Type, Title: deref(o.Title), XTitle: o.XTitle, YTitle: o.YTitle}, o.Rows)
	if err != nil {
		return err
	}
	id, err := p.pkg.Relate(part, "chart", chart)
	if err != nil {
		return err
	}
	f, err := p.frameFor(part, root, o)
	if err != nil {
		return err
	}
	return appendShape(root, fmt.Sprintf(`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="%d" name="Chart" descr="%s"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>%s`+
		`<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart r:id="%s"/></a:graphicData></a:graphic></p:graphicFrame>`,
		freeID(root), ooxml.Escape(deref(o.Title)), f.xml("p"), id))
}

// setNotes sets the speaker notes.
func (p *Presentation) setNotes(slide, text string) error {
	part, root, err := p.related(slide, "notesSlide")
	if err != nil {
		return err
	}
	if root == nil {
		if part, root, err = p.addNotes(slide); err != nil {
			return err
		}
	}
	p.pkg.Touch(part)
	shape := first(root, "body")
	body := shape.Find("p:txBody")
	if body == nil {
		return ooxml.Damaged(part, "the notes have no text")
	}
	return setLines(body, linesOf(text))
}

// addNotes adds notes to a slide.
func (p *Presentation) addNotes(slide string) (string, *ooxml.Node, error) {
	master, err := p.notesMaster()
	if err != nil {
		return "", nil, err
	}
	part := p.pkg.Free(path.Join(path.Dir(p.main), "notesSlides/notesSlide"), ".xml")
	tree, err := p.pkg.NewTree(part, slideType+"notesSlide+xml",
		`<p:notes`+spaces+`>`+notesTree+`<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>`)
	if err != nil {
		return "", nil, err
	}
	for _, r := range []struct{ from, kind, to string }{{part, "notesMaster", master}, {part, "slide", slide}, {slide, "notesSlide", part}} {
		if _, err := p.pkg.Relate(r.from, r.kind, r.to); err != nil {
			return "", nil, err
		}
	}
	return part, tree.Root, nil
}

// notesTree is a picture of the slide, and the notes below it.
const notesTree = `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` +
	`<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide Image"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/></p:cNvSpPr><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr>` +
	`<p:spPr><a:xfrm><a:off x="685800" y="1143000"/><a:ext cx="5486400" cy="3086100"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:sp>` +
	`<p:sp><p:nvSpPr><p:cNvPr id="3" name="Notes"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr>` +
	`<p:spPr><a:xfrm><a:off x="685800" y="4400550"/><a:ext cx="5486400" cy="3600450"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>` +
	`<p:txBody><a:bodyPr/><a:lstStyle/><a:p></a:p></p:txBody></p:sp></p:spTree></p:cSld>`

const colors = `<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>`

// notesMaster returns the part on which notes are based. If the presentation has
// none, it is created with the theme of the slides.
func (p *Presentation) notesMaster() (string, error) {
	part, root, err := p.related(p.main, "notesMaster")
	if err != nil || root != nil {
		return part, err
	}
	theme, err := p.pkg.Related(p.main, "theme")
	if err != nil {
		return "", err
	}
	text := []byte(theme1)
	if theme != "" {
		if text, err = p.pkg.Read(theme); err != nil {
			return "", err
		}
	}
	dir := path.Dir(p.main)
	part = path.Join(dir, "notesMasters/notesMaster1.xml")
	if _, err := p.pkg.NewTree(part, slideType+"notesMaster+xml",
		`<p:notesMaster`+spaces+`>`+notesTree+colors+`</p:notesMaster>`); err != nil {
		return "", err
	}
	copied := p.pkg.Free(path.Join(dir, "theme/theme"), ".xml")
	p.pkg.Set(copied, text)
	if err := p.pkg.SetType(copied, themeType); err != nil {
		return "", err
	}
	if _, err := p.pkg.Relate(part, "theme", copied); err != nil {
		return "", err
	}
	id, err := p.pkg.Relate(p.main, "notesMaster", part)
	if err != nil {
		return "", err
	}
	nodes, err := p.root.Fragment(`<p:notesMasterIdLst><p:notesMasterId r:id="` + id + `"/></p:notesMasterIdLst>`)
	if err != nil {
		return "", err
	}
	p.root.Find("p:sldMasterIdLst").After(nodes...)
	p.pkg.Touch(p.main)
	return part, nil
}
