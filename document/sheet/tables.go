package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

const tableType = sheetType + "table+xml"

// addTable writes rows and makes them a table with filters, stripes, and a name that
// formulas can use. The first row has the column names.
func (e *editor) addTable(s *sheetPart, o *Operation, result *Result) error {
	start, err := o.start()
	if err != nil {
		return err
	}
	rows, names, err := tableRows(o.Values)
	if err != nil {
		return err
	}
	a := area{start, cell{start.row + len(rows) - 1, start.col + len(names) - 1}}
	if a.to.row > xlsx.MaxRows || a.to.col > xlsx.MaxColumns {
		return ooxml.Invalid("Let it begin elsewhere.", "a table of %d rows and %d columns from %s on goes beyond the sheet", len(rows),
			len(names), start)
	}
	if err := e.freeForTable(s, a); err != nil {
		return err
	}
	id, name, err := e.tableName(o.Name)
	if err != nil {
		return err
	}
	write := *o
	write.Values = rows
	if err := e.setRange(s, &write, result); err != nil {
		return err
	}
	result.Range, result.Table = a.String(), name
	return e.declareTable(s, id, name, a, names)
}

// tableRows returns the rows of a table with column names as programs require
// them: texts without duplicates. A table has at least one row.
func tableRows(values [][]any) (rows [][]any, names []string, err error) {
	head := values[0]
	if len(head) == 0 {
		return nil, nil, ooxml.Invalid("Give the names of the columns as the first row of values.", "the table has no columns")
	}
	used, first := map[string]bool{}, make([]any, len(head))
	for i, v := range head {
		name := strings.Join(strings.Fields(fmt.Sprint(v)), " ")
		if v == nil || name == "" {
			name = "Column" + strconv.Itoa(i+1)
		}
		for n, free := 2, name; used[strings.ToLower(name)]; n++ {
			name = free + strconv.Itoa(n)
		}
		used[strings.ToLower(name)] = true
		names, first[i] = append(names, name), name
	}
	for i, row := range values {
		if len(row) > len(head) {
			return nil, nil, ooxml.Invalid("Give each row as many values as there are columns.", "row %d has %d values, and there are %d columns",
				i, len(row), len(head))
		}
	}
	rows = append([][]any{first}, values[1:]...)
	if len(rows) == 1 {
		rows = append(rows, make([]any, len(head)))
	}
	return rows, names, nil
}

// freeForTable refuses a range that something is in which a table cannot share.
func (e *editor) freeForTable(s *sheetPart, a area) error {
	const hint = "Let it begin elsewhere, or put it on a sheet of its own."
	tables, err := e.tables(s)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if other, ok := parseArea(t.root.Attr("ref")); ok && a.overlaps(other) {
			return ooxml.Invalid(hint, "%s overlaps the table %s (%s)", a, t.root.Attr("displayName"), other)
		}
	}
	for _, m := range s.layout.merged() {
		if a.overlaps(m) {
			return ooxml.Invalid(hint, "%s overlaps the merged range %s", a, m)
		}
	}
	if f, ok := parseArea(s.layout.tree.Root.Find("s:autoFilter").Attr("ref")); ok && a.overlaps(f) {
		return ooxml.Invalid(hint, "%s overlaps the filtered range %s", a, f)
	}
	return nil
}

// tableName returns the id and the name of a new table: the requested name, or
// the first free one.
func (e *editor) tableName(asked string) (id int, name string, err error) {
	used := map[string]bool{}
	for _, part := range e.pkg.Parts() {
		if e.pkg.Type(part) != tableType {
			continue
		}
		tree, err := e.pkg.Tree(part)
		if err != nil {
			return 0, "", err
		}
		id = max(id, tree.Root.Int("id", 0))
		used[strings.ToLower(tree.Root.Attr("displayName"))] = true
	}
	for n := range e.root.Find("s:definedNames").Elements() {
		used[strings.ToLower(n.Attr("name"))] = true
	}
	if asked == "" {
		for n := 1; name == "" || used[strings.ToLower(name)]; n++ {
			name = "Table" + strconv.Itoa(n)
		}
		return id + 1, name, nil
	}
	if used[strings.ToLower(asked)] {
		return 0, "", ooxml.Invalid("Choose another name, or none.", "the workbook has a table or range %q already", asked)
	}
	return id + 1, asked, checkTableName(asked)
}

// checkTableName refuses names that programs do.
func checkTableName(name string) error {
	_, cellLike := parseCell(name)
	for i, r := range name {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r) && r != '.') {
			cellLike = true
		}
	}
	if cellLike || len(name) > 255 || slices.Contains([]string{"r", "c"}, strings.ToLower(name)) {
		return ooxml.Invalid("Names begin with a letter, go on with letters, digits and _, and are not those of cells.",
			"%q cannot be the name of a table", name)
	}
	return nil
}

func (e *editor) declareTable(s *sheetPart, id int, name string, a area, names []string) error {
	var columns strings.Builder
	for i, n := range names {
		fmt.Fprintf(&columns, `<tableColumn id="%d" name="%s"/>`, i+1, ooxml.Escape(escapedName(n)))
	}
	part := e.pkg.Free(partBeside(e.main, "tables/table"), ".xml")
	_, err := e.pkg.NewTree(part, tableType, fmt.Sprintf(`<table %s id="%d" name="%s" displayName="%s" ref="%s" totalsRowShown="0"><autoFilter ref="%s"/>`+
		`<tableColumns count="%d">%s</tableColumns><tableStyleInfo name="TableStyleMedium2" showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/></table>`,
		sheetSpace, id, ooxml.Escape(name), ooxml.Escape(name), a, a, len(names), columns.String()))
	if err != nil {
		return err
	}
	rel, err := e.pkg.Relate(s.part, "table", part)
	if err != nil {
		return err
	}
	list, err := s.layout.child("tableParts")
	if err != nil {
		return err
	}
	nodes, err := list.Fragment(`<s:tablePart r:id="` + rel + `"/>`)
	if err != nil {
		return err
	}
	list.Append(nodes...)
	count := 0
	for range list.Elements() {
		count++
	}
	list.Set("count", strconv.Itoa(count))
	s.layout.changed, s.layout.knows.tables = true, false
	return nil
}

// escapedName escapes a column name for the table in the same way as the text of
// cells.
func escapedName(name string) string {
	return strings.NewReplacer("_x", "_x005F_x").Replace(name)
}

// RowsOf returns how many rows of a sheet are in use, and whether there is such a
// sheet.
func (b *Book) RowsOf(name string) (rows int, there bool, err error) {
	for _, s := range b.sheets {
		if !strings.EqualFold(s.name, name) {
			continue
		}
		if err := s.cells(); err != nil {
			return 0, true, err
		}
		l, err := b.readLayout(s)
		if err != nil {
			return 0, true, err
		}
		return l.used.to.row, true, nil
	}
	return 0, false, nil
}
