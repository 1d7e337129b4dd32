package pptx

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

const (
	themeType = "application/vnd.openxmlformats-officedocument.theme+xml"
	// Blank presentations are as wide as today's screens.
	blankWidth, blankHeight = 12_192_000, 6_858_000
)

// Blank returns a presentation without slides, with four layouts: title slide,
// title and content, title only, and empty.
func Blank() ([]byte, error) {
	title := holder(2, "Title", `type="title"`, frame{609_600, 365_125, 10_972_800, 1_143_000})
	body := holder(3, "Content", `idx="1"`, frame{609_600, 1_600_200, 10_972_800, 4_525_963})
	layouts := []struct{ name, kind, shapes string }{
		{"Title Slide", "title", holder(2, "Title", `type="ctrTitle"`, frame{1_524_000, 1_714_500, 9_144_000, 1_714_500}) +
			strings.Replace(holder(3, "Subtitle", `type="subTitle" idx="1"`, frame{1_524_000, 3_600_450, 9_144_000, 1_371_600}),
				"<a:lstStyle/>", `<a:lstStyle><a:lvl1pPr marL="0" indent="0"><a:buNone/></a:lvl1pPr></a:lstStyle>`, 1)},
		{"Title and Content", "obj", title + body},
		{"Title Only", "titleOnly", title},
		{"Blank", "blank", ""},
	}
	const master = "ppt/slideMasters/slideMaster1.xml"
	var list string
	parts := []ooxml.NewPart{{Kind: "slideMaster", Name: master, Type: slideType + "slideMaster+xml"}}
	for i, l := range layouts {
		list += fmt.Sprintf(`<p:sldLayoutId id="%d" r:id="rId%d"/>`, 2_147_483_649+i, i+1)
		name := fmt.Sprintf("ppt/slideLayouts/slideLayout%d.xml", i+1)
		parts = append(parts,
			ooxml.NewPart{From: master, Kind: "slideLayout", Name: name, Type: slideType + "slideLayout+xml", Text: fmt.Sprintf(
				`<p:sldLayout%s type="%s"><p:cSld name="%s">%s</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>`, spaces, l.kind,
				l.name, tree(l.shapes))},
			ooxml.NewPart{From: name, Kind: "slideMaster", Name: master})
	}
	holders := holder(2, "Title", `type="title"`, frame{609_600, 365_125, 10_972_800, 1_143_000}) + holder(3, "Text", `type="body" idx="1"`,
		frame{609_600, 1_600_200, 10_972_800, 4_525_963})
	parts[0].Text = `<p:sldMaster` + spaces + `><p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>` + tree(holders) +
		`</p:cSld>` + colors +
		`<p:sldLayoutIdLst>` + list + `</p:sldLayoutIdLst>` + textStyles() + `</p:sldMaster>`
	parts = append(parts,
		ooxml.NewPart{From: master, Kind: "theme", Name: "ppt/theme/theme1.xml", Type: themeType, Text: theme1},
		ooxml.NewPart{Kind: "theme", Name: "ppt/theme/theme1.xml"})
	return ooxml.New("ppt/presentation.xml", slideType+"presentation.main+xml",
		fmt.Sprintf(`<p:presentation%s><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst>`+
			`<p:sldSz cx="%d" cy="%d"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`, spaces, blankWidth, blankHeight), parts...)
}

func tree(shapes string) string {
	return `<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + shapes + `</p:spTree>`
}

func holder(id int, name, ph string, f frame) string {
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="%s"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph %s/></p:nvPr></p:nvSpPr><p:spPr>%s`+
		`<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr><a:normAutofit/></a:bodyPr><a:lstStyle/><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:txBody></p:sp>`, id, name, ph, f.xml("a"), name)
}

// textStyles are the sizes and bullets of titles and bodies.
func textStyles() string {
	run := func(size int) string {
		return fmt.Sprintf(`<a:defRPr sz="%d"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr>`, size)
	}
	var levels string
	for i, size := range []int{2800, 2400, 2000, 1800, 1800} {
		levels += fmt.Sprintf(`<a:lvl%dpPr marL="%d" indent="-285750"><a:spcBef><a:spcPts val="600"/></a:spcBef><a:buFont typeface="Arial"/><a:buChar char="&#8226;"/>%s</a:lvl%dpPr>`, i+1, 342_900+457_200*i, run(size), i+1)
	}
	return `<p:txStyles><p:titleStyle><a:lvl1pPr><a:buNone/>` + run(4000) + `</a:lvl1pPr></p:titleStyle><p:bodyStyle>` + levels +
		`</p:bodyStyle><p:otherStyle/></p:txStyles>`
}

// theme1 are the colours, fonts and effects of blank presentations.
const theme1 = `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">` +
	`<a:dk1><a:srgbClr val="1F2933"/></a:dk1><a:lt1><a:srgbClr val="FFFFFF"/></a:lt1><a:dk2><a:srgbClr val="33475B"/></a:dk2><a:lt2><a:srgbClr val="E8EDF3"/></a:lt2>` +
	`<a:accent1><a:srgbClr val="2F6DB5"/></a:accent1><a:accent2><a:srgbClr val="D9822B"/></a:accent2><a:accent3><a:srgbClr val="3D9A6B"/></a:accent3><a:accent4><a:srgbClr val="B5483D"/></a:accent4>` +
	`<a:accent5><a:srgbClr val="7A5BA6"/></a:accent5><a:accent6><a:srgbClr val="5C7080"/></a:accent6><a:hlink><a:srgbClr val="1A5FB4"/></a:hlink><a:folHlink><a:srgbClr val="613583"/></a:folHlink></a:clrScheme>` +
	`<a:fontScheme name="Plain"><a:majorFont><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:majorFont><a:minorFont><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme>` +
	`<a:fmtScheme name="Plain"><a:fillStyleLst>` + fill + fill + fill + `</a:fillStyleLst><a:lnStyleLst>` + outline + outline + outline +
	`</a:lnStyleLst>` +
	`<a:effectStyleLst>` + effect + effect + effect + `</a:effectStyleLst><a:bgFillStyleLst>` + fill + fill + fill +
	`</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`

const (
	fill    = `<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>`
	outline = `<a:ln w="9525">` + fill + `</a:ln>`
	effect  = `<a:effectStyle><a:effectLst/></a:effectStyle>`
)
