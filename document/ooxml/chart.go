package ooxml

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ChartType is the content type of a part with a chart.
const ChartType = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"

// Charts lists the kinds of charts.
func Charts() []string {
	return []string{"column", "stacked_column", "bar", "stacked_bar", "line", "area", "stacked_area", "pie", "scatter"}
}

// Chart is a chart that office programs draw from cells, and can change.
type Chart struct {
	Kind                  string // one of Charts
	Title, XTitle, YTitle string
	X                     *ChartValues // names of the points, or of scatter their places; can be nil
	Series                []ChartSeries
	// Workbook is the id of the chart's relationship to a workbook with its cells;
	// "" in workbooks.
	Workbook string
}

// ChartSeries is one line, or one colour of bars.
type ChartSeries struct {
	Name   string
	NameIn string // the cell that has it, as in formulas
	Y      ChartValues
}

// ChartValues are those of cells. What is nil is a gap.
type ChartValues struct {
	In     string // the cells, as in formulas
	Values []any  // json.Number, string or nil
	Format string // of numbers, such as yyyy-mm-dd; "" is General
}

// Check refuses a chart that programs would not draw.
func (c *Chart) Check() error {
	if !slices.Contains(Charts(), c.Kind) {
		return Invalid("Give one of "+strings.Join(Charts(), ", ")+" as type.", "there is no chart of the type %q", c.Kind)
	}
	for _, text := range []string{c.Title, c.XTitle, c.YTitle} {
		if err := CheckText("a title of the chart", text); err != nil {
			return err
		}
	}
	switch n := len(c.Series); {
	case n == 0:
		return Invalid("Give the cells with the names of the series as the first row, and below them the numbers; the first column names the points.", "the chart has no series")
	case n > 255:
		return Invalid("Give fewer columns.", "%d series are more than the 255 of a chart", n)
	case c.Kind == "pie" && n > 1:
		return Invalid("Give one column with names and one with numbers, or another type.", "a pie shows one series, not %d", n)
	case c.Kind == "pie" && c.XTitle+c.YTitle != "":
		return Invalid("Leave x_title and y_title out.", "a pie has no axes")
	case c.Kind == "scatter" && (c.X == nil || !slices.ContainsFunc(c.X.Values, isNumber)):
		return Invalid("Give a range whose first column has numbers.",
			"the first column of a scatter chart is the place of each point on the x axis, and it has no numbers")
	}
	return nil
}

// shape is the kind of a chart without how its series stand: beside or before each other,
// or one on the other.
func (c *Chart) shape() string { return strings.TrimPrefix(c.Kind, stacked) }

const stacked = "stacked_"

func isNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}

// palette are the colours of series, those of plots: a package may have no theme with some.
var palette = []string{"0072B2", "E69F00", "009E73", "CC79A7", "D55E00", "56B4E9", "8C6D1F", "444444"}

func filled(i int) string {
	return `<a:solidFill><a:srgbClr val="` + palette[i%len(palette)] + `"/></a:solidFill>`
}

// XML is the chart as a part.
func (c *Chart) XML() string {
	var b strings.Builder
	b.WriteString(`<c:chartSpace xmlns:c="` + namespaces()["c"] + `" xmlns:a="` + namespaces()["a"] + `" xmlns:r="` +
		namespaces()["r"] + `"><c:roundedCorners val="0"/><c:chart>` +
		titled(c.Title) + fmt.Sprintf(`<c:autoTitleDeleted val="%d"/><c:plotArea><c:layout/>`, 1-min(len(c.Title), 1)))
	element, grouping, overlap := c.shape(), "standard", ""
	if element == "column" || element == "bar" {
		element, grouping = "bar", "clustered"
	}
	if c.shape() != c.Kind {
		grouping, overlap = "stacked", `<c:overlap val="100"/>`
	}
	group := `<c:grouping val="` + grouping + `"/>`
	b.WriteString(`<c:` + element + `Chart>` + map[string]string{
		"column": `<c:barDir val="col"/>` + group, "bar": `<c:barDir val="bar"/>` + group, "line": group, "area": group,
		"scatter": `<c:scatterStyle val="lineMarker"/>`,
	}[c.shape()])
	fmt.Fprintf(&b, `<c:varyColors val="%d"/>`, map[bool]int{true: 1}[c.Kind == "pie"])
	for i, s := range c.Series {
		b.WriteString(c.series(i, s))
	}
	bars := `<c:gapWidth val="80"/>` + overlap
	b.WriteString(map[string]string{
		"column": bars, "bar": bars, "line": `<c:marker val="1"/>`, "pie": percents + `<c:firstSliceAng val="0"/>`,
	}[c.shape()])
	if c.Kind != "pie" {
		b.WriteString(`<c:axId val="1"/><c:axId val="2"/>`)
	}
	b.WriteString(`</c:` + element + `Chart>` + c.axes() + `</c:plotArea>`)
	if len(c.Series) > 1 || c.Kind == "pie" {
		b.WriteString(`<c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>`)
	}
	b.WriteString(`<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>`)
	if c.Workbook != "" {
		b.WriteString(`<c:externalData r:id="` + c.Workbook + `"><c:autoUpdate val="0"/></c:externalData>`)
	}
	return b.String() + `</c:chartSpace>`
}

func (c *Chart) series(i int, s ChartSeries) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<c:ser><c:idx val="%d"/><c:order val="%d"/><c:tx>%s</c:tx>`, i, i,
		(&ChartValues{In: s.NameIn, Values: []any{s.Name}}).xml("str"))
	bars := `<c:spPr>` + filled(i) + `</c:spPr><c:invertIfNegative val="0"/>`
	b.WriteString(map[string]string{
		"column": bars, "bar": bars, "area": `<c:spPr>` + filled(i) + `</c:spPr>`,
		"line": `<c:spPr><a:ln w="28575">` + filled(i) + `</a:ln></c:spPr><c:marker><c:symbol val="none"/></c:marker>`,
		"scatter": `<c:spPr><a:ln w="19050"><a:noFill/></a:ln></c:spPr><c:marker><c:symbol val="circle"/><c:size val="5"/><c:spPr>` + filled(i) +
			`</c:spPr></c:marker>`,
	}[c.shape()])
	if c.Kind == "pie" {
		for n := range min(len(s.Y.Values), 64) {
			fmt.Fprintf(&b, `<c:dPt><c:idx val="%d"/><c:bubble3D val="0"/><c:spPr>%s</c:spPr></c:dPt>`, n, filled(n))
		}
	}
	x, y := "cat", "val"
	if c.Kind == "scatter" {
		x, y = "xVal", "yVal"
	}
	if c.X != nil {
		kind := "str"
		if !slices.ContainsFunc(c.X.Values, func(v any) bool { return v != nil && !isNumber(v) }) {
			kind = "num"
		}
		b.WriteString(`<c:` + x + `>` + c.X.xml(kind) + `</c:` + x + `>`)
	}
	b.WriteString(`<c:` + y + `>` + s.Y.xml("num") + `</c:` + y + `>`)
	b.WriteString(map[string]string{"line": `<c:smooth val="0"/>`, "scatter": `<c:smooth val="0"/>`}[c.Kind])
	return b.String() + `</c:ser>`
}

// xml is a reference to cells with what they hold: numbers ("num") or texts ("str").
func (v *ChartValues) xml(kind string) string {
	var b strings.Builder
	b.WriteString(`<c:` + kind + `Ref><c:f>` + Escape(v.In) + `</c:f><c:` + kind + `Cache>`)
	if kind == "num" {
		format := v.Format
		if format == "" {
			format = "General"
		}
		b.WriteString(`<c:formatCode>` + Escape(format) + `</c:formatCode>`)
	}
	b.WriteString(`<c:ptCount val="` + strconv.Itoa(len(v.Values)) + `"/>`)
	for i, value := range v.Values {
		if value != nil && (kind == "str" || isNumber(value)) {
			b.WriteString(`<c:pt idx="` + strconv.Itoa(i) + `"><c:v>` + Escape(fmt.Sprint(value)) + `</c:v></c:pt>`)
		}
	}
	return b.String() + `</c:` + kind + `Cache></c:` + kind + `Ref>`
}

// percents writes on each slice of a pie how much of the whole it is.
const percents = `<c:dLbls><c:showLegendKey val="0"/><c:showVal val="0"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="1"/><c:showBubbleSize val="0"/></c:dLbls>`

// axes are those of the points and of the values. The bars of a bar chart come from the
// top down, as their cells do.
func (c *Chart) axes() string {
	if c.Kind == "pie" {
		return ""
	}
	x, y, order, crosses := "b", "l", "minMax", "autoZero"
	if c.shape() == "bar" {
		x, y, order, crosses = "l", "b", "maxMin", "max"
	}
	axis := func(id, other, order, side, lines, labels, title, crosses string) string {
		return `<c:axId val="` + id + `"/><c:scaling><c:orientation val="` + order + `"/></c:scaling><c:delete val="0"/><c:axPos val="` + side +
			`"/>` + lines + titled(title) +
			`<c:numFmt formatCode="General" sourceLinked="1"/><c:majorTickMark val="out"/><c:minorTickMark val="none"/><c:tickLblPos val="` +
			labels + `"/>` +
			`<c:crossAx val="` + other + `"/><c:crosses val="` + crosses + `"/>`
	}
	points := `<c:catAx>` + axis("1", "2", order, x, "", "low", c.XTitle, "autoZero") +
		`<c:auto val="1"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="0"/></c:catAx>`
	between := "between"
	switch c.shape() {
	case "scatter":
		between = "midCat"
		points = `<c:valAx>` + axis("1", "2", order, x, "", "low", c.XTitle, "autoZero") + `<c:crossBetween val="midCat"/></c:valAx>`
	case "area":
		between = "midCat"
	}
	const lines = `<c:majorGridlines><c:spPr><a:ln w="9525"><a:solidFill><a:srgbClr val="D9D9D9"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>`
	return points + `<c:valAx>` + axis("2", "1", "minMax", y, lines, "nextTo", c.YTitle, crosses) + `<c:crossBetween val="` + between +
		`"/></c:valAx>`
}

func titled(text string) string {
	if text == "" {
		return ""
	}
	return `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>` + Escape(text) +
		`</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>`
}

// ChartIn describes the chart in a part: column chart "Sales" of Sheet1!$B$2:$B$4.
func (p *Package) ChartIn(part string) string {
	tree, err := p.Tree(part)
	if err != nil {
		return "chart"
	}
	kinds, title, from := []string{}, "", []string{}
	for n := range tree.Root.All(nil) {
		local := strings.TrimPrefix(n.Name, "c:")
		switch kind, found := strings.CutSuffix(local, "Chart"); {
		case found && kind != "":
			if kind == "bar" && n.Find("c:barDir").Attr("val") != "bar" {
				kind = "column"
			}
			if n.Find("c:grouping").Attr("val") == "stacked" {
				kind = stacked + kind
			}
			kinds = append(kinds, kind)
		case local == "title" && n.Parent.Name == "c:chart":
			for t := range n.All(nil) {
				if t.Name == "a:t" {
					title += t.Text()
				}
			}
		case local == "f" && n.Parent.Parent != nil && (n.Parent.Parent.Name == "c:val" || n.Parent.Parent.Name == "c:yVal"):
			from = append(from, n.Text())
		}
	}
	text := strings.Join(kinds, " and ") + " chart"
	if title != "" {
		text += " " + strconv.Quote(title)
	}
	if len(from) > 0 {
		text += " of " + strings.Join(from, ", ")
	}
	return text
}
