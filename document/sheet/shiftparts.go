package sheet

import (
	"path"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

// shiftAround shifts the references to cells that a sheet has outside of its
// rows.
func (e *editor) shiftAround(s *sheetPart, sh shift) error {
	root := s.layout.tree.Root
	mapTree(root, func(text string) string { return sh.formula(text, s.name, s.name) })
	for n := range root.All(nil) {
		local := n.Name[strings.IndexByte(n.Name, ':')+1:]
		switch local {
		case "sqref": // of extensions
			n.SetText(sh.list(n.Text()))
			continue
		case "brk":
			if n.Parent.Name == "s:rowBreaks" {
				to, _ := sh.row(n.Int("id", 0) + 1)
				n.Set("id", strconv.Itoa(to-1))
			}
			continue
		}
		for _, attr := range []string{"ref", "sqref", "activeCell", "topLeftCell"} {
			refs, ok := n.Lookup(attr)
			if !ok || n.Name == "s:dimension" && refs == "A1" {
				continue
			}
			moved := sh.list(refs)
			if a, ok := parseArea(moved); ok && local == "mergeCell" && a.from == a.to {
				moved = "" // a single cell is merged with nothing
			}
			switch {
			case moved == refs:
			case moved != "":
				n.Set(attr, moved)
			case local == "selection" || local == "pane" || local == "sheetView":
				n.Unset(attr)
			case local == "dimension":
				n.Set(attr, "A1")
			default: // the cells that it is about are gone
				n.Remove()
			}
		}
	}
	for _, list := range []string{"mergeCells", "hyperlinks", "dataValidations", "tableParts"} {
		n := root.Find("s:" + list)
		if n == nil {
			continue
		}
		count := 0
		for range n.Elements() {
			count++
		}
		if n.Unset("count"); count == 0 {
			n.Remove()
		}
	}
	return nil
}

// shiftTables moves the tables of a sheet.
func (e *editor) shiftTables(s *sheetPart, sh shift) error {
	tables, err := e.tables(s)
	if err != nil {
		return err
	}
	for _, t := range tables {
		name := t.root.Attr("displayName")
		a, ok := parseArea(t.root.Attr("ref"))
		if !ok {
			continue
		}
		_, alive := sh.row(a.from.row)
		_, end := sh.row(a.to.row)
		if !alive || !end && t.root.Attr("totalsRowCount") != "" || a.rows() > 1 && sh.count < 0 && sh.at <= a.from.row+1 &&
			sh.at-sh.count > a.to.row {
			return ooxml.Invalid("Leave its header, its totals and one row of it.", "the rows hold what the table %s cannot be without", name)
		}
		for n := range t.root.All(nil) {
			if refs, ok := n.Lookup("ref"); ok {
				n.Set("ref", sh.list(refs))
			}
		}
		mapTree(t.root, func(text string) string { return sh.formula(text, s.name, s.name) })
		e.pkg.Touch(t.part)
	}
	return nil
}

// shiftParts shifts the references to the sheet's cells in other parts: drawings,
// comments, charts, and the sources of pivot tables.
func (e *editor) shiftParts(s *sheetPart, sh shift) error {
	all, err := e.pkg.Relations(s.part)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.External || !e.pkg.Has(r.Target) {
			continue
		}
		switch r.Kind {
		case "drawing":
			err = e.shiftDrawing(r.Target, sh)
		case "comments", "threadedComment":
			err = e.shiftComments(r.Target, sh)
		case "vmlDrawing":
			e.tell(api.CaveatOther, "boxes of comments, buttons and old drawings of the sheet %q may be shown at the rows where they were", s.name)
		case "pivotTable":
			err = e.shiftPivot(r.Target, sh)
		}
		if err != nil {
			return err
		}
	}
	for _, part := range e.pkg.Parts() {
		switch kind := e.pkg.Type(part); {
		case strings.HasSuffix(kind, "drawingml.chart+xml"), strings.HasSuffix(kind, "pivotCacheDefinition+xml"):
			if err := e.shiftReader(part, s, sh); err != nil {
				return err
			}
		}
	}
	return nil
}

// shiftPivot moves a pivot table that is below, and refuses to tear one apart.
func (e *editor) shiftPivot(part string, sh shift) error {
	tree, err := e.pkg.Tree(part)
	if err != nil {
		return err
	}
	location := tree.Root.Find("s:location")
	a, ok := parseArea(location.Attr("ref"))
	if !ok {
		return nil
	}
	whole := a
	if filters := location.Int("rowPageCount", tree.Root.Find("s:pageFields").Int("count", 0)); filters > 0 {
		whole.from.row = max(whole.from.row-filters-1, 1) // they stand above an empty row
	}
	moved := sh.list(whole.String())
	if moved == whole.String() {
		return nil
	}
	if now, ok := parseArea(moved); !ok || now.rows() != whole.rows() {
		return ooxml.Invalid("Insert or delete rows above or below it.", "the rows are within the pivot table %s at %s", tree.Root.Attr("name"), whole)
	}
	location.Set("ref", sh.list(a.String()))
	e.pkg.Touch(part)
	return nil
}

// shiftDrawing moves the objects that are anchored to cells.
func (e *editor) shiftDrawing(part string, sh shift) error {
	tree, err := e.pkg.Tree(part)
	if err != nil {
		return err
	}
	for anchor := range tree.Root.Elements() {
		if anchor.Attr("editAs") == "absolute" {
			continue
		}
		for _, end := range []string{"xdr:from", "xdr:to"} {
			n := anchor.Find(end, "xdr:row")
			at, err := strconv.Atoi(strings.TrimSpace(n.Text())) // counted from 0
			if err != nil {
				continue
			}
			if to, _ := sh.row(at + 1); to-1 != at {
				n.SetText(strconv.Itoa(to - 1))
				e.pkg.Touch(part)
			}
		}
	}
	return nil
}

// shiftComments moves comments, and removes those of deleted cells.
func (e *editor) shiftComments(part string, sh shift) error {
	tree, err := e.pkg.Tree(part)
	if err != nil {
		return err
	}
	for n := range tree.Root.All(nil) {
		ref, ok := n.Lookup("ref")
		if !ok {
			continue
		}
		switch moved := sh.list(ref); {
		case moved == "":
			n.Remove()
		case moved != ref:
			n.Set("ref", moved)
		default:
			continue
		}
		e.pkg.Touch(part)
	}
	return nil
}

// shiftReader changes the ranges of the sheet that a chart or a pivot table reads.
func (e *editor) shiftReader(part string, s *sheetPart, sh shift) error {
	tree, err := e.pkg.Tree(part)
	if err != nil {
		return err
	}
	for n := range tree.Root.All(nil) {
		switch local := path.Base(strings.ReplaceAll(n.Name, ":", "/")); local {
		case "f":
			if text := n.Text(); text != "" && sh.formula(text, "", s.name) != text {
				n.SetText(sh.formula(text, "", s.name))
				e.pkg.Touch(part)
			}
		case "worksheetSource":
			if ref := n.Attr("ref"); ref != "" && strings.EqualFold(n.Attr("sheet"), s.name) && sh.list(ref) != ref && sh.list(ref) != "" {
				n.Set("ref", sh.list(ref))
				e.pkg.Touch(part)
			}
		}
	}
	return nil
}
