package sheet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Format is the formatting of cells. In a change, omitted fields stay unchanged.
type Format struct {
	Bold      *bool   `json:"bold,omitempty"`
	Italic    *bool   `json:"italic,omitempty"`
	Underline *bool   `json:"underline,omitempty"`
	Size      float64 `json:"font_size,omitempty"` // points
	Color     string  `json:"color,omitempty" jsonschema:"of the text, as #RRGGBB"`
	Fill      string  `json:"fill,omitempty" jsonschema:"of the cell, as #RRGGBB; none removes it"`
	Number    string  `json:"number_format,omitempty" jsonschema:"such as #,##0.00 or yyyy-mm-dd"`
	Align     string  `json:"align,omitempty" jsonschema:"left, center, right or general"`
	Wrap      *bool   `json:"wrap,omitempty"`
	Border    string  `json:"border,omitempty" jsonschema:"thin, medium or none, around each cell"`
	// Width is of the range's columns, in characters. It is not read.
	Width float64 `json:"column_width,omitempty" jsonschema:"in characters"`
}

// styles are the looks of a workbook's cells. A cell names an entry of cellXfs,
// which names entries of the other lists.
type styles struct {
	part string
	root *ooxml.Node
	made map[string]int // entries of cellXfs that were added here, by content
}

func (b *Book) styleTable() (*styles, error) {
	if b.styles != nil {
		return b.styles, nil
	}
	part, err := b.pkg.Related(b.main, "styles")
	if err != nil {
		return nil, err
	}
	if part == "" || !b.pkg.Has(part) {
		part = partBeside(b.main, "styles.xml")
		if _, err := b.pkg.NewTree(part, sheetType+"styles+xml", blankStyles); err != nil {
			return nil, err
		}
		if _, err := b.pkg.Relate(b.main, "styles", part); err != nil {
			return nil, err
		}
	}
	tree, err := b.pkg.Tree(part)
	if err != nil {
		return nil, err
	}
	b.pkg.Last(part) // cells get their looks while their sheet is rewritten
	b.styles = &styles{part: part, root: tree.Root, made: map[string]int{}}
	return b.styles, nil
}

// entry returns an entry of a list, or nil if there is none.
func (s *styles) entry(list string, index int) *ooxml.Node {
	i := 0
	for n := range s.root.Find("s:" + list).Elements() {
		if i == index {
			return n
		}
		i++
	}
	return nil
}

// addText is add of an entry that is written with this package's prefixes.
func (s *styles) addText(list, text string) (int, error) {
	nodes, err := s.root.Fragment(text)
	if err != nil {
		return 0, err
	}
	return s.add(list, nodes[0])
}

// add adds an entry to a list and returns its index. An equal one is used again.
func (s *styles) add(list string, entry *ooxml.Node) (int, error) {
	key := list + entry.String()
	if i, ok := s.made[key]; ok {
		return i, nil
	}
	parent := s.root.Find("s:" + list)
	if parent == nil {
		nodes, err := s.root.Fragment(`<s:` + list + ` count="0"></s:` + list + `>`)
		if err != nil {
			return 0, err
		}
		s.insert(nodes[0], list)
		parent = nodes[0]
	}
	count := 0
	for range parent.Elements() {
		count++
	}
	parent.Append(entry)
	parent.Set("count", strconv.Itoa(count+1))
	s.made[key] = count
	return count, nil
}

// insert puts a list where the standard has it.
func (s *styles) insert(n *ooxml.Node, list string) {
	order := " numFmts fonts fills borders cellStyleXfs cellXfs cellStyles dxfs tableStyles colors extLst "
	for c := range s.root.Elements() {
		if strings.Index(order, " "+strings.TrimPrefix(c.Name, "s:")+" ") > strings.Index(order, " "+list+" ") {
			c.Before(n)
			return
		}
	}
	s.root.Append(n)
}

// change returns the index of the entry that looks like another one, but for f.
func (s *styles) change(index int, f Format) (int, error) {
	xf := s.entry("cellXfs", index)
	if xf == nil {
		nodes, err := s.root.Fragment(`<s:xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>`)
		if err != nil {
			return 0, err
		}
		xf = nodes[0]
	}
	out := xf.Clone()
	if f.Bold != nil || f.Italic != nil || f.Underline != nil || f.Size > 0 || f.Color != "" {
		id, err := s.font(xf.Int("fontId", 0), f)
		if err != nil {
			return 0, err
		}
		out.Set("fontId", strconv.Itoa(id))
		out.Set("applyFont", "1")
	}
	if f.Fill != "" {
		id, err := s.fill(f.Fill)
		if err != nil {
			return 0, err
		}
		out.Set("fillId", strconv.Itoa(id))
		out.Set("applyFill", "1")
	}
	if f.Border != "" {
		id, err := s.border(f.Border)
		if err != nil {
			return 0, err
		}
		out.Set("borderId", strconv.Itoa(id))
		out.Set("applyBorder", "1")
	}
	if f.Number != "" {
		id, err := s.number(f.Number)
		if err != nil {
			return 0, err
		}
		out.Set("numFmtId", strconv.Itoa(id))
		out.Set("applyNumberFormat", "1")
	}
	if err := align(out, f); err != nil {
		return 0, err
	}
	return s.add("cellXfs", out)
}

func align(xf *ooxml.Node, f Format) error {
	if f.Align == "" && f.Wrap == nil {
		return nil
	}
	n := xf.Find("s:alignment")
	if n == nil {
		nodes, err := xf.Fragment("<s:alignment/>")
		if err != nil {
			return err
		}
		n = nodes[0]
		xf.Prepend(n)
	}
	if f.Align != "" {
		n.Set("horizontal", f.Align)
	}
	if f.Wrap != nil {
		n.Set("wrapText", flag(*f.Wrap))
	}
	xf.Set("applyAlignment", "1")
	return nil
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// font returns the index of the font that is like another one, but for f.
func (s *styles) font(index int, f Format) (int, error) {
	font := s.entry("fonts", index)
	if font == nil {
		nodes, err := s.root.Fragment(`<s:font></s:font>`)
		if err != nil {
			return 0, err
		}
		font = nodes[0]
	}
	font = font.Clone()
	set := func(name, code string) error {
		if old := font.Find("s:" + name); old != nil {
			old.Remove()
		}
		if code == "" {
			return nil
		}
		nodes, err := font.Fragment(code)
		if err != nil {
			return err
		}
		place := strings.Index(fontOrder, " "+name+" ")
		for n := range font.Elements() {
			if strings.Index(fontOrder, " "+strings.TrimPrefix(n.Name, "s:")+" ") > place {
				n.Before(nodes...)
				return nil
			}
		}
		font.Append(nodes...)
		return nil
	}
	for _, c := range []struct {
		name, code string
		on         *bool
	}{{"b", "<s:b/>", f.Bold}, {"i", "<s:i/>", f.Italic}, {"u", "<s:u/>", f.Underline}} {
		if c.on == nil {
			continue
		}
		code := c.code
		if !*c.on {
			code = ""
		}
		if err := set(c.name, code); err != nil {
			return 0, err
		}
	}
	if f.Size > 0 {
		if err := set("sz", `<s:sz val="`+strconv.FormatFloat(f.Size, 'f', -1, 64)+`"/>`); err != nil {
			return 0, err
		}
	}
	if f.Color != "" {
		if err := set("color", `<s:color rgb="FF`+strings.ToUpper(f.Color[1:])+`"/>`); err != nil {
			return 0, err
		}
	}
	return s.add("fonts", font)
}

// fontOrder is the order in which programs expect the properties of a font.
const fontOrder = " b i strike condense extend outline shadow u vertAlign sz color name family charset scheme "

func (s *styles) fill(color string) (int, error) {
	if color == "none" {
		return 0, nil // the first entry is always "none"
	}
	return s.addText("fills", `<s:fill><s:patternFill patternType="solid"><s:fgColor rgb="FF`+strings.ToUpper(color[1:])+
		`"/><s:bgColor indexed="64"/></s:patternFill></s:fill>`)
}

func (s *styles) border(kind string) (int, error) {
	if kind == "none" {
		return 0, nil // so is this
	}
	text := ""
	for _, side := range []string{"left", "right", "top", "bottom"} {
		text += `<s:` + side + ` style="` + kind + `"><s:color auto="1"/></s:` + side + `>`
	}
	return s.addText("borders", `<s:border>`+text+`<s:diagonal/></s:border>`)
}

// builtins maps the formats that every program knows to their numbers.
func builtins() map[string]int {
	return map[string]int{
		"General": 0, "0": 1, "0.00": 2, "#,##0": 3, "#,##0.00": 4, "0%": 9, "0.00%": 10, "0.00E+00": 11, "# ?/?": 12, "# ??/??": 13,
		"mm-dd-yy": 14, "d-mmm-yy": 15, "d-mmm": 16, "mmm-yy": 17, "h:mm AM/PM": 18, "h:mm:ss AM/PM": 19, "h:mm": 20, "h:mm:ss": 21,
		"m/d/yy h:mm":    22,
		"#,##0 ;(#,##0)": 37, "#,##0 ;[Red](#,##0)": 38, "#,##0.00;(#,##0.00)": 39, "#,##0.00;[Red](#,##0.00)": 40, "mm:ss": 45, "[h]:mm:ss": 46,
		"mmss.0": 47, "##0.0E+0": 48, "@": 49,
	}
}

// number returns the id of a number format.
func (s *styles) number(code string) (int, error) {
	if id, ok := builtins()[code]; ok {
		return id, nil
	}
	id := 164 // those below are the programs' own
	for n := range s.root.Find("s:numFmts").Elements() {
		if n.Attr("formatCode") == code {
			return n.Int("numFmtId", 0), nil
		}
		id = max(id, n.Int("numFmtId", 0)+1)
	}
	_, err := s.addText("numFmts", fmt.Sprintf(`<s:numFmt numFmtId="%d" formatCode="%s"/>`, id, ooxml.Escape(code)))
	return id, err
}

// describe is how cells with that entry look.
func (s *styles) describe(index int) Format {
	xf := s.entry("cellXfs", index)
	font := s.entry("fonts", xf.Int("fontId", 0))
	out := Format{Number: s.code(xf.Int("numFmtId", 0)), Align: xf.Find("s:alignment").Attr("horizontal"), Color: color(font.Find("s:color"))}
	for _, c := range []struct {
		name string
		to   **bool
	}{{"s:b", &out.Bold}, {"s:i", &out.Italic}, {"s:u", &out.Underline}} {
		if n := font.Find(c.name); n != nil && n.Attr("val") != "0" && n.Attr("val") != "false" {
			yes := true
			*c.to = &yes
		}
	}
	out.Size, _ = strconv.ParseFloat(font.Find("s:sz").Attr("val"), 64)
	if fill := s.entry("fills", xf.Int("fillId", 0)).Find("s:patternFill"); fill.Attr("patternType") == "solid" {
		out.Fill = color(fill.Find("s:fgColor"))
	}
	if style := s.entry("borders", xf.Int("borderId", 0)).Find("s:bottom").Attr("style"); style != "" {
		out.Border = style
	}
	return out
}

// code is the number format with that id.
func (s *styles) code(id int) string {
	for n := range s.root.Find("s:numFmts").Elements() {
		if n.Int("numFmtId", -1) == id {
			return n.Attr("formatCode")
		}
	}
	for code, builtin := range builtins() {
		if builtin == id {
			return code
		}
	}
	return "General"
}

// color is a colour as #RRGGBB; those of a theme are named by their number there.
func color(n *ooxml.Node) string {
	if rgb := n.Attr("rgb"); len(rgb) == 8 {
		return "#" + rgb[2:]
	}
	if theme := n.Attr("theme"); theme != "" {
		return "theme " + theme
	}
	return ""
}

// check refuses a format that cannot be.
func (f Format) check() error {
	for _, c := range []string{f.Color, f.Fill} {
		if c == "" || c == "none" && c == f.Fill {
			continue
		}
		if _, err := strconv.ParseUint(strings.TrimPrefix(c, "#"), 16, 32); err != nil || len(c) != 7 || c[0] != '#' {
			return ooxml.Invalid("Colours are written as #RRGGBB.", "%q is not a colour", c)
		}
	}
	for _, c := range []struct{ value, allowed string }{{f.Align, " left center right general "}, {f.Border, " thin medium none "}} {
		if c.value != "" && !strings.Contains(c.allowed, " "+c.value+" ") {
			return ooxml.Invalid("It is one of"+strings.TrimRight(c.allowed, " ")+".", "%q is not known", c.value)
		}
	}
	if f.Size < 0 || f.Size > 409 || f.Width < 0 || f.Width > 255 || len(f.Number) > 255 {
		return ooxml.Invalid("Sizes go to 409 points, columns to 255 characters, number formats to 255 characters.",
			"the format has a figure that is out of bounds")
	}
	return ooxml.CheckText("the number format", f.Number)
}

// columnStyle is the entry of cellXfs that cells of a column have by default.
func (l *layout) columnStyle(col int) int {
	for n := range l.tree.Root.Find("s:cols").Elements() {
		if n.Int("min", 0) <= col && col <= n.Int("max", 0) {
			return n.Int("style", 0)
		}
	}
	return 0
}
