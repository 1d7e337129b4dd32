package xlsx

import (
	"bytes"
	"path"
)

// Totals returns the rows of totals that the tables of a sheet declare, such as 12.
func (w *Workbook) Totals(i int) (rows []int, err error) {
	part := w.Sheets[i].part
	links := path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
	if w.parts[links] == nil {
		return nil, nil
	}
	all, err := w.relations(links, path.Dir(part))
	if err != nil {
		return nil, &PartError{links, err}
	}
	for _, rel := range all {
		if path.Base(rel.kind) != "table" || w.parts[rel.target] == nil {
			continue
		}
		err := w.walk(rel.target, func(s *scanner) error {
			if !s.is(tokenStart, "table") {
				return nil
			}
			n, _ := smallInt(s.attr("totalsRowCount"))
			_, to, _ := bytes.Cut(s.attr("ref"), []byte(":"))
			if _, last, err := cellRef(to); err == nil {
				for row := max(last-min(n, last)+1, 1); row <= last && n <= 10; row++ {
					rows = append(rows, row)
				}
			}
			return nil
		})
		if err != nil {
			return nil, &PartError{rel.target, err}
		}
	}
	return rows, nil
}
