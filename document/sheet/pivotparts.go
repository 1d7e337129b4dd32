package sheet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

const (
	pivotType = sheetType + "pivotTable+xml"
	cacheType = sheetType + "pivotCacheDefinition+xml"
	relSpace  = ` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	// repeated has programs repeat the labels of a field, as its cells do.
	repeated = `<extLst><ext uri="{2946ED86-A175-432a-8AC1-64E0C546D7DE}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:pivotField fillDownLabels="1"/></ext></extLst>`
)

// measured gives the measures of a pivot table the number formats of their columns.
func (e *editor) measured(p *pivot) error {
	all, err := e.styleTable()
	if err != nil {
		return err
	}
	first, err := e.cellsOf(p.source.sheet, p.source.from.row+1)
	for i := range p.measures {
		m := &p.measures[i]
		if style, err := strconv.Atoi(first[p.source.from.col+m.column].tag.Get("s")); err == nil && m.function != "count" {
			m.format = all.entry("cellXfs", style).Int("numFmtId", 0)
		}
	}
	return err
}

// cellsOf are the cells of a row, by their columns.
func (b *Book) cellsOf(s *sheetPart, number int) (map[int]rowCell, error) {
	found := map[int]rowCell{}
	err := b.eachRow(s, func(r row) (bool, error) {
		if r.number < number {
			return true, nil
		}
		if r.number > number {
			return false, nil
		}
		_, cells, err := r.split(s.part)
		for _, c := range cells {
			c.tag = slices.Clone(c.tag)
			found[c.col] = c
		}
		return false, err
	})
	return found, err
}

// freeForPivot refuses a range in which something is.
func (e *editor) freeForPivot(s *sheetPart, a area) error {
	const hint = "Let it start elsewhere, or put it on a sheet of its own: ensure_sheet makes one."
	if err := e.freeForTable(s, a); err != nil {
		return err
	}
	taken := cell{}
	err := e.eachRow(s, func(r row) (bool, error) {
		_, cells, err := r.split(s.part)
		for _, c := range cells {
			if at := (cell{r.number, c.col}); a.contains(at) && !c.tag.Empty() && len(c.raw) > len(c.tag)+len("</c>") && taken.row == 0 {
				taken = at
			}
		}
		return r.number <= a.to.row && taken.row == 0, err
	})
	if err == nil && taken.row > 0 {
		err = ooxml.Invalid(hint, "the pivot table takes %s of the sheet %q, where %s has content", a, s.name, taken)
	}
	return err
}

// pivotName returns the name of a new pivot table: the requested one, or the first free.
func (e *editor) pivotName(asked string) (string, error) {
	used := map[string]bool{}
	for _, part := range e.pkg.Parts() {
		if e.pkg.Type(part) != pivotType {
			continue
		}
		tree, err := e.pkg.Tree(part)
		if err != nil {
			return "", err
		}
		used[strings.ToLower(tree.Root.Attr("name"))] = true
	}
	if used[strings.ToLower(asked)] && asked != "" {
		return "", ooxml.Invalid("Choose another name, or none.", "the workbook has a pivot table %q already", asked)
	}
	for n := 1; asked == "" || used[strings.ToLower(asked)]; n++ {
		asked = "PivotTable" + strconv.Itoa(n)
	}
	return asked, ooxml.CheckText("the name", asked)
}

// putPivot writes the cells of a pivot table.
func (e *editor) putPivot(s *sheetPart, p *pivot, a area, grid [][]any) error {
	all, err := e.styleTable()
	if err != nil {
		return err
	}
	for i, row := range grid {
		for j, v := range row {
			at := cell{a.from.row + i, a.from.col + j}
			set := SetCell{Value: v}
			switch n := j - len(p.rows); {
			case v == nil:
				continue
			case i >= p.headRows() && n >= 0:
				if format := p.measures[n%len(p.measures)].format; format != 0 {
					set.Format = &Format{Number: all.code(format)}
				}
			}
			if err := e.setCell(s, at, set); err != nil {
				return ooxml.InCell(at.String(), err)
			}
		}
	}
	return nil
}

// declarePivot writes the parts of a pivot table: how it is laid out, and what it reads.
// It keeps no copy of the source: programs read it when they open the workbook.
func (e *editor) declarePivot(s *sheetPart, p *pivot, a area) error {
	cache := e.pkg.Free(partBeside(e.main, "pivotCache/pivotCacheDefinition"), ".xml")
	if _, err := e.pkg.NewTree(cache, cacheType, p.cacheXML()); err != nil {
		return err
	}
	list := e.root.Find("s:pivotCaches")
	id := 1
	for n := range list.Elements() {
		id = max(id, n.Int("cacheId", 0)+1)
	}
	part := e.pkg.Free(partBeside(e.main, "pivotTables/pivotTable"), ".xml")
	if _, err := e.pkg.NewTree(part, pivotType, p.tableXML(id, a)); err != nil {
		return err
	}
	rel := ""
	for _, r := range []struct{ from, kind, to string }{{s.part, "pivotTable", part}, {part, "pivotCacheDefinition", cache},
		{e.main, "pivotCacheDefinition", cache}} {
		var err error
		if rel, err = e.pkg.Relate(r.from, r.kind, r.to); err != nil {
			return err
		}
	}
	if list == nil {
		nodes, err := e.root.Fragment("<s:pivotCaches></s:pivotCaches>")
		if err != nil {
			return err
		}
		list = nodes[0]
		var last *ooxml.Node
		for n := range e.root.Elements() {
			if !slices.Contains([]string{"smartTagPr", "smartTagTypes", "webPublishing", "fileRecoveryPr", "webPublishObjects", "extLst"},
				strings.TrimPrefix(n.Name, "s:")) {
				last = n
			}
		}
		last.After(list)
	}
	nodes, err := list.Fragment(fmt.Sprintf(`<s:pivotCache cacheId="%d" r:id="%s"/>`, id, rel))
	if err != nil {
		return err
	}
	list.Append(nodes...)
	e.pkg.Touch(e.main)
	return nil
}

// cacheXML says what a pivot table reads, and the items of its axes.
func (p *pivot) cacheXML() string {
	var b strings.Builder
	source := fmt.Sprintf(`ref="%s" sheet="%s"`, p.source.area, ooxml.Escape(p.source.sheet.name))
	if p.source.table != "" {
		source = fmt.Sprintf(`name="%s"`, ooxml.Escape(p.source.table))
	}
	fmt.Fprintf(&b, `<pivotCacheDefinition %s saveData="0" refreshOnLoad="1" createdVersion="6" refreshedVersion="6" minRefreshableVersion="3" recordCount="%d">`+
		`<cacheSource type="worksheet"><worksheetSource %s/></cacheSource><cacheFields count="%d">`, sheetSpace+relSpace, len(p.source.rows)-1,
		source, len(p.names))
	for c, name := range p.names {
		fmt.Fprintf(&b, `<cacheField name="%s" numFmtId="0">%s</cacheField>`, ooxml.Escape(name), sharedItems(p.items[c]))
	}
	return b.String() + `</cacheFields></pivotCacheDefinition>`
}

// itemsOf are the different values of a column, in the order of programs: numbers, dates,
// texts, true and false, errors, and nothing.
func itemsOf(values []any) (items []any) {
	seen := map[string]bool{}
	for _, v := range values {
		if k := itemKey(v); !seen[k] {
			seen[k] = true
			items = append(items, v)
		}
	}
	slices.SortStableFunc(items, func(a, b any) int {
		ka, kb := itemKey(a), itemKey(b)
		if x, ok := a.(json.Number); ok && isNumber(b) {
			fa, _ := x.Float64()
			fb, _ := b.(json.Number).Float64()
			return cmp.Compare(fa, fb)
		}
		return cmp.Compare(ka, kb)
	})
	return items
}

// sharedItems lists the items of a column, with what kinds they are of.
func sharedItems(items []any) string {
	if items == nil {
		return `<sharedItems/>`
	}
	var b strings.Builder
	texts, dates, numbers, blank, long, whole := 0, 0, 0, false, false, true
	for _, v := range items {
		tag, text := "s", fmt.Sprint(v)
		switch v := v.(type) {
		case nil:
			b.WriteString(`<m/>`)
			blank = true
			continue
		case json.Number:
			tag = "n"
			numbers++
			whole = whole && !strings.ContainsAny(text, ".eE")
		case Date:
			tag, text = "d", asTime(string(v)).Format("2006-01-02T15:04:05")
			text = strings.Replace(text, "0000-01-01", "1899-12-30", 1) // a time alone
			dates++
		case bool:
			tag, text = "b", flag(v)
			texts++
		case failure:
			tag = "e"
			texts++
		case string:
			texts++
			long = long || len(v) > 255
		}
		fmt.Fprintf(&b, `<%s v="%s"/>`, tag, ooxml.Escape(text))
	}
	attributes := ""
	set := func(name string, value, unless bool) {
		if value != unless {
			attributes += " " + name + `="` + flag(value) + `"`
		}
	}
	set("containsSemiMixedTypes", texts > 0 || blank, true)
	set("containsNonDate", dates == 0 || texts+numbers > 0, true)
	set("containsDate", dates > 0, false)
	set("containsString", texts > 0, true)
	set("containsBlank", blank, false)
	set("containsMixedTypes", texts > 0 && numbers+dates > 0 || numbers > 0 && dates > 0, false)
	set("containsNumber", numbers > 0, false)
	set("containsInteger", numbers > 0 && whole, false)
	set("longText", long, false)
	return fmt.Sprintf(`<sharedItems%s count="%d">%s</sharedItems>`, attributes, len(items), b.String())
}

// tableXML says how a pivot table is laid out.
func (p *pivot) tableXML(cache int, a area) string {
	var b strings.Builder
	first := 1
	if len(p.columns) == 0 && len(p.measures) > 1 {
		first = 0
	}
	fmt.Fprintf(&b, `<pivotTableDefinition %s name="%s" cacheId="%d" applyNumberFormats="0" applyBorderFormats="0" applyFontFormats="0" applyPatternFormats="0" applyAlignmentFormats="0" applyWidthHeightFormats="1" `+
		`dataCaption="Values" updatedVersion="6" minRefreshableVersion="3" createdVersion="6" useAutoFormatting="1" itemPrintTitles="1" indent="0" compact="0" compactData="0">`+
		`<location ref="%s" firstHeaderRow="%d" firstDataRow="%d" firstDataCol="%d"%s/><pivotFields count="%d">`,
		sheetSpace, ooxml.Escape(p.name), cache, a, first, p.headRows(), len(p.rows), p.pages(), len(p.names))
	for c := range p.names {
		b.WriteString(p.fieldXML(c))
	}
	b.WriteString(`</pivotFields>` + fieldsXML("rowFields", p.rows) + itemsXML("rowItems", p.lines, 1))
	columns := p.columns
	if len(p.measures) > 1 {
		columns = append(slices.Clone(columns), -2)
	}
	b.WriteString(fieldsXML("colFields", columns) + itemsXML("colItems", p.heads, len(p.measures)))
	b.WriteString(p.filtersXML())
	fmt.Fprintf(&b, `<dataFields count="%d">`, len(p.measures))
	for _, m := range p.measures {
		kind, format := "", ""
		if m.function != "sum" {
			kind = ` subtotal="` + m.function + `"`
		}
		if m.format != 0 {
			format = fmt.Sprintf(` numFmtId="%d"`, m.format)
		}
		fmt.Fprintf(&b, `<dataField name="%s" fld="%d"%s baseField="0" baseItem="0"%s/>`, ooxml.Escape(m.title), m.column, kind, format)
	}
	return b.String() + `</dataFields><pivotTableStyleInfo name="PivotStyleLight16" showRowHeaders="1" showColHeaders="1" showRowStripes="0" showColStripes="0" showLastColumn="1"/></pivotTableDefinition>`
}

// pages says how many rows of filters are above a pivot table.
func (p *pivot) pages() string {
	if len(p.filters) == 0 {
		return ""
	}
	return fmt.Sprintf(` rowPageCount="%d" colPageCount="1"`, len(p.filters))
}

func (p *pivot) filtersXML() string {
	if len(p.filters) == 0 {
		return ""
	}
	text := fmt.Sprintf(`<pageFields count="%d">`, len(p.filters))
	for _, f := range p.filters {
		item := ""
		if len(f.chosen) == 1 {
			item = fmt.Sprintf(` item="%d"`, f.chosen[0])
		}
		text += fmt.Sprintf(`<pageField fld="%d"%s hier="-1"/>`, f.column, item)
	}
	return text + `</pageFields>`
}

func (p *pivot) fieldXML(c int) string {
	axis, more, body := "", "", ""
	if slices.ContainsFunc(p.measures, func(m pivotMeasure) bool { return m.column == c }) {
		more = ` dataField="1"`
	}
	switch {
	case slices.Contains(p.rows, c):
		axis = ` axis="axisRow"`
	case slices.Contains(p.columns, c):
		axis = ` axis="axisCol"`
	}
	var chosen []int
	for _, f := range p.filters {
		if f.column != c {
			continue
		}
		axis = ` axis="axisPage"`
		if len(f.chosen) > 1 {
			chosen = f.chosen
			more += ` multipleItemSelectionAllowed="1"`
		}
	}
	if axis != "" {
		for i := range p.items[c] {
			hidden := ""
			if chosen != nil && !slices.Contains(chosen, i) {
				hidden = ` h="1"`
			}
			body += fmt.Sprintf(`<item%s x="%d"/>`, hidden, i)
		}
		body = fmt.Sprintf(`<items count="%d">`, len(p.items[c])) + body + `</items>`
		if c != p.rows[len(p.rows)-1] {
			body += repeated
		}
		if slices.ContainsFunc(p.items[c], func(v any) bool { _, ok := v.(Date); return ok }) {
			more += ` numFmtId="14"`
		}
	}
	return `<pivotField` + axis + more + ` compact="0" outline="0" showAll="0" defaultSubtotal="0">` + body + `</pivotField>`
}

func fieldsXML(name string, fields []int) string {
	if len(fields) == 0 {
		return ""
	}
	text := fmt.Sprintf(`<%s count="%d">`, name, len(fields))
	for _, c := range fields {
		text += fmt.Sprintf(`<field x="%d"/>`, c)
	}
	return text + `</` + name + `>`
}

// itemsXML lists the rows or columns of a pivot table, each as often as there are
// measures beside each other.
func itemsXML(name string, all [][]int, measures int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<%s count="%d">`, name, len(all)*measures)
	for _, items := range all {
		for m := range measures {
			attributes, inner := "", ""
			for _, item := range items {
				inner += fmt.Sprintf(`<x v="%d"/>`, item)
			}
			switch {
			case items == nil && len(all) > 1:
				attributes, inner = ` t="grand"`, `<x/>`
			case measures > 1:
				inner += fmt.Sprintf(`<x v="%d"/>`, m)
			}
			if m > 0 {
				attributes += fmt.Sprintf(` i="%d"`, m)
			}
			b.WriteString(`<i` + attributes + `>` + inner + `</i>`)
		}
	}
	return b.String() + `</` + name + `>`
}
