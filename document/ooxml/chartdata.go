package ooxml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// AddChart adds a chart of rows, beside the main part, with a workbook that has them, so
// that programs can change them. The first row names the series, the first column the
// points. It returns the name of its part.
func (p *Package) AddChart(main string, c *Chart, rows [][]any) (string, error) {
	if err := c.fill(rows); err != nil {
		return "", err
	}
	book, err := bookOf(rows)
	if err != nil {
		return "", err
	}
	dir := path.Dir(main)
	data := p.Free(path.Join(dir, "embeddings/Microsoft_Excel_Sheet"), ".xlsx")
	p.Set(data, book)
	if err := p.SetDefault("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"); err != nil {
		return "", err
	}
	part := p.Free(path.Join(dir, "charts/chart"), ".xml")
	p.Set(part, nil)
	if c.Workbook, err = p.Relate(part, "package", data); err != nil {
		return "", err
	}
	_, err = p.NewTree(part, ChartType, c.XML())
	return part, err
}

const (
	maxChartRows    = 5_000
	maxChartColumns = 50
)

// fill takes the values of a chart from rows.
func (c *Chart) fill(rows [][]any) error {
	texts, width, err := Texts(rows, maxChartRows, maxChartColumns)
	if err != nil {
		return err
	}
	if len(rows) < 2 || width < 2 {
		return Invalid("The first row names the series, the first column the points.",
			"a chart needs rows of at least two cells, and two of them")
	}
	at := func(row, col int) any {
		switch {
		case row >= len(rows) || col >= len(rows[row]) || rows[row][col] == nil:
			return nil
		}
		switch v := rows[row][col].(type) {
		case json.Number:
			return v
		case float64, int, int64:
			return json.Number(texts[row][col])
		}
		return texts[row][col]
	}
	column := func(col int) ChartValues {
		letter := string(rune('A' + col%26))
		if col >= 26 {
			letter = "A" + letter
		}
		v := ChartValues{In: "Sheet1!$" + letter + "$2:$" + letter + "$" + strconv.Itoa(len(rows))}
		for r := range rows[1:] {
			v.Values = append(v.Values, at(r+1, col))
		}
		return v
	}
	x := column(0)
	c.X = &x
	for col := 1; col < width; col++ {
		y := column(col)
		for r, v := range y.Values {
			if v != nil && !isNumber(v) {
				return Invalid("Give numbers, or null for a gap.", "row %d, column %d of the chart is %q and not a number", r+2, col+1, v)
			}
		}
		name := ""
		if col < len(texts[0]) {
			name = texts[0][col]
		}
		c.Series = append(c.Series, ChartSeries{Name: name, NameIn: strings.Split(strings.Replace(y.In, "$2:", "$1:", 1), ":")[0], Y: y})
	}
	return c.Check()
}

// bookOf is a workbook of rows.
func bookOf(rows [][]any) ([]byte, error) {
	const space, kind = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`,
		"application/vnd.openxmlformats-officedocument.spreadsheetml."
	var b bytes.Buffer
	b.WriteString(`<worksheet ` + space + `><sheetData>`)
	for _, row := range rows {
		b.WriteString(`<row>`)
		for _, v := range row {
			text, err := textOf(v)
			switch _, isText := v.(string); {
			case err != nil:
				return nil, err
			case v == nil:
				b.WriteString(`<c/>`)
			case isText:
				b.WriteString(`<c t="inlineStr"><is><t xml:space="preserve">` + Escape(text) + `</t></is></c>`)
			case text == "true" || text == "false":
				fmt.Fprintf(&b, `<c t="b"><v>%d</v></c>`, map[string]int{"true": 1}[text])
			default:
				b.WriteString(`<c><v>` + Escape(text) + `</v></c>`)
			}
		}
		b.WriteString(`</row>`)
	}
	b.WriteString(`</sheetData></worksheet>`)
	return New("xl/workbook.xml", kind+"sheet.main+xml",
		`<workbook `+space+` xmlns:r="`+namespaces()["r"]+`"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		NewPart{Kind: "worksheet", Name: "xl/worksheets/sheet1.xml", Type: kind + "worksheet+xml", Text: b.String()})
}
