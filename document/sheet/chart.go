package sheet

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/agnes-data/da/document/ooxml"
)

// maxPoints bounds those of a chart. Programs draw more, slowly.
const maxPoints = 100_000

// addChart puts a chart of cells over a sheet. It reads the cells, not a copy of them.
func (e *editor) addChart(s *sheetPart, o *Operation, result *Result) error {
	chart := &ooxml.Chart{Kind: o.Type, Title: o.Title, XTitle: o.XTitle, YTitle: o.YTitle}
	blocks, err := e.blocks(s, o.Range)
	if err != nil {
		return err
	}
	if err := e.chartOf(chart, blocks); err != nil {
		return err
	}
	at, err := e.chartPlace(s, o)
	if err != nil {
		return err
	}
	part := e.pkg.Free(partBeside(e.main, "charts/chart"), ".xml")
	if _, err := e.pkg.NewTree(part, ooxml.ChartType, chart.XML()); err != nil {
		return err
	}
	width := o.WidthCM
	if width <= 0 {
		width = 16
	}
	result.Range = at.String()
	return e.anchor(s, at, int(width*ooxml.EMUPerCM), int(width*ooxml.EMUPerCM*9/16), "chart", part, func(number int, id, _ string) string {
		return fmt.Sprintf(`<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="%d" name="Chart %d" descr="%s"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>`+
			`<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart r:id="%s"/></a:graphicData></a:graphic></xdr:graphicFrame>`,
			number, number, ooxml.Escape(o.Title), id)
	})
}

// chartRows is how many rows of the usual height a chart covers.
const chartRows = 20

// chartPlace is the cell that an operation names for a chart, or one behind the last
// column, below the charts and pictures that are there.
func (e *editor) chartPlace(s *sheetPart, o *Operation) (cell, error) {
	if o.Start != "" {
		return cellOf(o.Start)
	}
	at := cell{1, s.layout.used.to.col + 2}
	if rel, ok := e.pkg.Target(s.part, s.layout.tree.Root.Find("s:drawing").Attr("r:id")); ok && e.pkg.Has(rel.Target) {
		tree, err := e.pkg.Tree(rel.Target)
		if err != nil {
			return at, err
		}
		for n := range tree.Root.Elements() {
			if row, err := strconv.Atoi(n.Find("xdr:from", "xdr:row").Text()); err == nil {
				at.row = max(at.row, row+1+chartRows)
			}
		}
	}
	return at, nil
}

// chartOf reads what a chart shows. The first column of all names the points, each other
// one is a series; a column that is alone is a series.
func (e *editor) chartOf(chart *ooxml.Chart, blocks []block) error {
	width := 0
	for i := range blocks {
		b := &blocks[i]
		if b.area.rows() < 2 {
			return ooxml.Invalid("Give the cells with the names as the first row, and the numbers below them.", "%s has only one row", b.in(b.area))
		}
		if b.area.rows() != blocks[0].area.rows() {
			return ooxml.Invalid("Give ranges of as many rows.", "%s has %d rows, and %s has %d", b.in(b.area), b.area.rows(),
				blocks[0].in(blocks[0].area), blocks[0].area.rows())
		}
		width += b.columns()
	}
	if n := width * blocks[0].area.rows(); n > maxPoints {
		return ooxml.Invalid("Sum up the rows first, or give a part of them.", "%d cells are more than the %d of a chart", n, maxPoints)
	}
	for i := range blocks {
		b := &blocks[i]
		if err := e.read(b); err != nil {
			return err
		}
		for c := range b.columns() {
			col := b.from.col + c
			values, format := e.number(b.column(c))
			shown := ooxml.ChartValues{In: b.in(area{cell{b.from.row + 1, col}, cell{b.to.row, col}}), Values: values, Format: format}
			if i == 0 && c == 0 && width > 1 {
				chart.X = &shown
				continue
			}
			if !slices.ContainsFunc(values, isNumber) && b.seen.unvalued == 0 {
				return ooxml.Invalid("Give columns of numbers, and before them one with the names of the points.", "%s has no numbers to show",
					shown.In)
			}
			name := b.rows[0][c]
			if name == nil {
				name = ""
			}
			chart.Series = append(chart.Series, ooxml.ChartSeries{Name: fmt.Sprint(name),
				NameIn: b.in(area{cell{b.from.row, col}, cell{b.from.row, col}}), Y: shown})
		}
	}
	return chart.Check()
}

// charts describes the charts of a sheet.
func (b *Book) charts(s *sheetPart) (all []string, err error) {
	drawing, err := b.pkg.Related(s.part, "drawing")
	if err != nil || drawing == "" {
		return nil, err
	}
	objects, err := b.pkg.Relations(drawing)
	for _, r := range objects {
		if r.Kind == "chart" && !r.External {
			all = append(all, b.pkg.ChartIn(r.Target))
		}
	}
	return all, err
}
