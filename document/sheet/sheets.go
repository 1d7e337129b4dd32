package sheet

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

const (
	sheetType   = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	sheetSpace  = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	blankSheet  = `<worksheet ` + sheetSpace + `><sheetData></sheetData></worksheet>`
	blankStyles = `<styleSheet ` + sheetSpace + `><fonts count="1"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
)

// Blank returns a workbook with one empty sheet of that name; "" is Sheet1.
func Blank(sheet string) ([]byte, error) {
	if sheet == "" {
		sheet = "Sheet1"
	}
	if err := checkName(sheet); err != nil {
		return nil, err
	}
	return ooxml.New("xl/workbook.xml", sheetType+"sheet.main+xml",
		`<workbook `+sheetSpace+` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">`+
			`<bookViews><workbookView/></bookViews><sheets><sheet name="`+ooxml.Escape(sheet)+`" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		ooxml.NewPart{Kind: "worksheet", Name: "xl/worksheets/sheet1.xml", Type: sheetType + "worksheet+xml", Text: blankSheet},
		ooxml.NewPart{Kind: "styles", Name: "xl/styles.xml", Type: sheetType + "styles+xml", Text: blankStyles})
}

func partBeside(part, name string) string { return path.Join(path.Dir(part), name) }

// checkName refuses names that spreadsheets do.
func checkName(name string) error {
	const hint = "Names have 1 to 31 characters and none of [ ] : * ? / \\, do not begin or end with ', and are not History."
	if n := len(utf16.Encode([]rune(name))); n < 1 || n > 31 || strings.ContainsAny(name, `[]:*?/\`) ||
		strings.HasPrefix(name, "'") || strings.HasSuffix(name, "'") || strings.EqualFold(name, "history") {
		return ooxml.Invalid(hint, "%q cannot be the name of a sheet", name)
	}
	return ooxml.CheckText("the name", name)
}

// addSheet adds an empty sheet at the end; ensure_sheet uses an existing sheet.
func (e *editor) addSheet(o *Operation, result *Result) error {
	for _, s := range e.sheets {
		if !strings.EqualFold(s.name, o.Sheet) {
			continue
		}
		if result.Sheet = s.name; o.Op == EnsureSheet {
			return s.cells()
		}
		return ooxml.Invalid("Choose another name, or write to the sheet that is there.", "there is a sheet %q already", s.name)
	}
	if err := checkName(o.Sheet); err != nil {
		return err
	}
	part := e.pkg.Free(partBeside(e.main, "worksheets/sheet"), ".xml")
	e.pkg.Set(part, []byte(blankSheet))
	result.Sheet, result.Made = o.Sheet, true
	return e.list(&sheetPart{name: o.Sheet, part: part})
}

// rewriteNew writes the rows of a sheet that is in no archive yet.
func (e *editor) rewriteNew(s *sheetPart) error {
	data, err := e.pkg.Read(s.part)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := s.rewrite(bytes.NewReader(data), &out); err != nil {
		return err
	}
	e.pkg.Set(s.part, out.Bytes())
	return nil
}

// deleteSheet deletes a sheet and everything that only it uses. Formulas that
// refer to it become errors when they are next calculated, which the report says.
func (e *editor) deleteSheet(s *sheetPart) error {
	visible := 0
	for _, other := range e.sheets {
		if other != s && other.visible() {
			visible++
		}
	}
	if visible == 0 {
		return ooxml.Invalid("Add or show another sheet first.", "%q is the last sheet that can be seen", s.name)
	}
	index := e.index(s)
	own := renameSheet(s.name, "#")
	own.sheets[strings.ToLower(s.first)] = "#"
	own.tables = map[string]string{}
	tables, err := e.tables(s)
	if err != nil {
		return err
	}
	for _, t := range tables {
		own.tables[strings.ToLower(t.root.Attr("displayName"))] = "#"
	}
	rel := s.node.Attr("r:id")
	s.node.Remove()
	e.sheets = slices.Delete(e.sheets, index, index+1)
	if err := e.renumber(s.name, index); err != nil {
		return err
	}
	if err := e.pkg.Unrelate(e.main, rel); err != nil {
		return err
	}
	if err := e.pkg.RemoveWithOwn(s.part); err != nil {
		return err
	}
	e.pkg.Touch(e.main)
	e.formulas, e.touched = true, true
	return e.orphans(s.name, own)
}

// renumber removes the names that belong to a deleted sheet, and renumbers the
// sheets after it where they are identified by number.
func (e *editor) renumber(name string, index int) error {
	for n := range e.root.Find("s:definedNames").Elements() {
		local := n.Int("localSheetId", -1)
		switch {
		case local == index:
			n.Remove()
		case local > index:
			n.Set("localSheetId", strconv.Itoa(local-1))
		}
		if local != index && refersTo(n.Text(), name) {
			e.tell(api.CaveatOther, "the name %s refers to the deleted sheet", n.Attr("name"))
		}
	}
	if names := e.root.Find("s:definedNames"); names != nil && names.Find("s:definedName") == nil {
		names.Remove() // an empty list is a fault
	}
	for n := range e.root.Find("s:bookViews").Elements() {
		for _, attr := range []string{"activeTab", "firstSheet"} {
			if at := n.Int(attr, -1); at > index || at >= len(e.sheets) {
				n.Set(attr, strconv.Itoa(max(at-1, 0)))
			}
		}
	}
	return nil
}

// refersTo reports whether a formula reads cells of a sheet.
func refersTo(formula, sheet string) bool {
	found := false
	mapFormula(formula, func(s, ref string) string {
		found = found || strings.EqualFold(s, sheet)
		return ref
	})
	return found
}

// orphans counts the formulas that read a deleted sheet or its tables, and the pivot
// tables that do.
func (e *editor) orphans(name string, own renaming) error {
	for _, part := range e.pkg.Parts() {
		if !strings.HasSuffix(e.pkg.Type(part), "pivotCacheDefinition+xml") {
			continue
		}
		tree, err := e.pkg.Tree(part)
		if err != nil {
			return err
		}
		for n := range tree.Root.All(nil) {
			if source := n.Attr("sheet"); strings.HasSuffix(n.Name, "worksheetSource") &&
				(own.sheets[strings.ToLower(source)] != "" || own.tables[strings.ToLower(n.Attr("name"))] != "") {
				e.tell(api.CaveatStale, "a pivot table reads the deleted sheet %q: it cannot be brought up to date", name)
			}
		}
	}
	for _, s := range e.sheets {
		if s.chart || e.pkg.Added(s.part) {
			continue
		}
		count, at := 0, cell{}
		err := e.eachFormula(s, func(c cell, text string) {
			if own.formula(text) != text {
				if count++; count == 1 {
					at = c
				}
			}
		})
		if err != nil {
			return err
		}
		if count > 0 {
			e.report.Tell(api.Caveat{Kind: api.CaveatUncalculated, About: api.Subject{Sheet: s.name},
				Count: &api.Count{N: int64(count), Of: "cells"},
				Text: fmt.Sprintf("the deleted sheet %q or its tables are read by %s of the sheet %q, the first in %s", name,
					plural(count, "formula", "formulas"), s.name, at)})
		}
	}
	return nil
}

// eachFormula hands the formulas of a sheet, as it is in the archive, to f.
func (b *Book) eachFormula(s *sheetPart, f func(cell, string)) error {
	return b.eachRow(s, func(r row) (bool, error) {
		_, cells, err := r.split(s.part)
		for _, c := range cells {
			if tag, text := c.child("f"); tag != nil && len(text) > 0 {
				f(cell{r.number, c.col}, ooxml.Unescape(text))
			}
		}
		return true, err
	})
}
