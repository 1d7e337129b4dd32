package sheet

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

// These are the kinds of parts that a sheet can have. A copy of the sheet gets its own of
// the copied ones and uses the shared ones together with the sheet. Those that are left
// only one sheet can have; the value is the word for them.
var (
	copied = []string{"drawing", "comments", "vmlDrawing", "table", "chart", "chartEx", "chartUserShapes", "chartStyle", "chartColorStyle"}
	shared = []string{"image", "printerSettings", "hyperlink"}
	left   = map[string]string{"pivotTable": "pivot tables", "slicer": "slicers", "timeline": "timelines", "control": "controls",
		"ctrlProp":  "controls",
		"oleObject": "embedded objects", "package": "embedded objects", "queryTable": "queries of tables",
		"threadedComment": "threads of comments (their texts stay)"}
)

// copySheet adds a copy of a sheet at the end. References of the sheet to itself become
// references of the copy to itself.
func (e *editor) copySheet(s *sheetPart, o *Operation, result *Result) error {
	if err := e.freeName(o.NewName, nil); err != nil {
		return err
	}
	r := renameSheet(s.name, o.NewName)
	r.tables = map[string]string{}
	part := e.pkg.Free(partBeside(e.main, "worksheets/sheet"), ".xml")
	e.pkg.Set(part, nil)
	gone, err := e.copyParts(s, part, r)
	if err != nil {
		return err
	}
	text, err := e.written(s, r)
	if err != nil {
		return err
	}
	c := &sheetPart{name: o.NewName, part: part}
	e.pkg.Set(part, text)
	if err := e.list(c); err != nil {
		return err
	}
	l, err := e.readLayout(c)
	if err != nil {
		return err
	}
	mapTree(l.tree.Root, r.formula)
	removeLeads(l.tree.Root, gone)
	l.tree.Root.Find("s:sheetPr").Unset("codeName")
	l.changed, e.formulas = true, e.formulas || l.formulas > 0
	result.Sheet, result.Made = c.name, true
	e.copyNames(s, c, r)
	return e.unselect(c)
}

// list adds a new sheet's part to the workbook, at the end.
func (e *editor) list(s *sheetPart) error {
	if err := e.pkg.SetType(s.part, sheetType+"worksheet+xml"); err != nil {
		return err
	}
	id, err := e.pkg.Relate(e.main, "worksheet", s.part)
	if err != nil {
		return err
	}
	all, number := e.root.Find("s:sheets"), 1
	for n := range all.Elements() {
		number = max(number, n.Int("sheetId", 0)+1)
	}
	nodes, err := all.Fragment(fmt.Sprintf(`<s:sheet name="%s" sheetId="%d" r:id="%s"/>`, ooxml.Escape(s.name), number, id))
	if err != nil {
		return err
	}
	all.Append(nodes...)
	s.node = nodes[0]
	e.pkg.Touch(e.main)
	e.sheets = append(e.sheets, s)
	return nil
}

// written is the text of a sheet as it is by now, with other names in its formulas.
func (e *editor) written(s *sheetPart, r renaming) ([]byte, error) {
	in, err := e.pkg.Stream(s.part)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	was := s.stages
	defer func() { s.stages = was }()
	s.stages = append(slices.Clone(was), &mapFormulas{sheet: s, area: func(ref string) string { return ref },
		text: func(_ cell, _ ooxml.Tag, text string) (string, bool) { return r.formula(text), false }})
	var out bytes.Buffer
	err = s.rewrite(in, &limited{&out, maxFrameBytes, s.part})
	return out.Bytes(), err
}

// limited is a writer for at most so many bytes.
type limited struct {
	*bytes.Buffer
	most int
	part string
}

// Write implements io.Writer.
func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > l.most {
		return 0, ooxml.TooLarge(l.part, "a sheet of more than %d MB cannot be copied", l.most>>20)
	}
	return l.Buffer.Write(b)
}

// copyParts gives a copy of a sheet its relationships, with the ids that they have, and
// parts of its own. It notes the names of copied tables in r, and returns the ids of
// what is left out.
func (e *editor) copyParts(s *sheetPart, to string, r renaming) (gone map[string]bool, err error) {
	gone = map[string]bool{}
	return gone, e.pkg.CopyRelations(s.part, to, func(rel ooxml.Relation) (string, error) {
		switch {
		case rel.External || slices.Contains(shared, rel.Kind) || !e.pkg.Has(rel.Target):
			return rel.Target, nil
		case rel.Kind == "table":
			return e.copyTable(rel.Target, r)
		case slices.Contains(copied, rel.Kind):
			return e.copyPart(rel.Target, r)
		}
		what := left[rel.Kind]
		if what == "" {
			what = "parts of the kind " + rel.Kind
		}
		e.tell(api.CaveatUnread, "the copy of %q has no %s", s.name, what)
		gone[rel.ID] = true
		return "", nil
	})
}

// copyPart copies a part, and what it alone leads to, with other names in formulas.
func (e *editor) copyPart(part string, r renaming) (string, error) {
	data, err := e.pkg.Current(part)
	if err != nil {
		return "", err
	}
	end := path.Ext(part)
	to := e.pkg.Free(strings.TrimRight(strings.TrimSuffix(part, end), "0123456789"), end)
	e.pkg.Set(to, slices.Clone(data))
	if err := e.pkg.SetType(to, e.pkg.Type(part)); err != nil {
		return "", err
	}
	if strings.HasSuffix(e.pkg.Type(part), "xml") {
		tree, err := e.pkg.Tree(to)
		if err != nil {
			return "", err
		}
		if mapTree(tree.Root, r.formula) {
			e.pkg.Touch(to)
		}
	}
	return to, e.pkg.CopyRelations(part, to, func(rel ooxml.Relation) (string, error) {
		if rel.External || !slices.Contains(copied, rel.Kind) || !e.pkg.Has(rel.Target) {
			return rel.Target, nil
		}
		return e.copyPart(rel.Target, r)
	})
}

// copyTable copies a table of the sheet under a name of its own.
func (e *editor) copyTable(part string, r renaming) (string, error) {
	id, name, err := e.tableName("")
	if err != nil {
		return "", err
	}
	to, err := e.copyPart(part, r)
	if err != nil {
		return "", err
	}
	tree, err := e.pkg.Tree(to)
	if err != nil {
		return "", err
	}
	was := tree.Root.Attr("displayName")
	r.tables[strings.ToLower(was)] = name
	tree.Root.Set("id", strconv.Itoa(id))
	tree.Root.Set("name", name)
	tree.Root.Set("displayName", name)
	mapTree(tree.Root, r.formula)
	e.pkg.Touch(to)
	e.tell(api.CaveatRenamed, "the table %s is named %s in the copy", was, name)
	return to, nil
}

// removeLeads takes out what refers to relationships that a sheet does not have.
func removeLeads(root *ooxml.Node, gone map[string]bool) {
	var out []*ooxml.Node
	for top := range root.Elements() {
		for n := range top.All(nil) {
			if gone[n.Attr("r:id")] {
				out = append(out, top)
				break
			}
		}
		if gone[top.Attr("r:id")] {
			out = append(out, top)
		}
	}
	for _, n := range out {
		n.Remove()
	}
}

// copyNames gives a copy the names that belong to its sheet alone, such as the area to
// print.
func (e *editor) copyNames(s, c *sheetPart, r renaming) {
	from, to := e.index(s), strconv.Itoa(e.index(c))
	var own []*ooxml.Node
	for n := range e.root.Find("s:definedNames").Elements() {
		if n.Int("localSheetId", -1) == from {
			own = append(own, n)
		}
	}
	for _, n := range own {
		next := n.Clone()
		next.Set("localSheetId", to)
		next.SetText(r.formula(next.Text()))
		n.After(next)
	}
}
