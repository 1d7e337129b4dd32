package gist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
)

// traps takes what makes figures of these tables wrong.
func (p *page) traps(known []api.Join, picks []pick) {
	p.gist.Traps = []string{}
	add := func(format string, a ...any) {
		text := fmt.Sprintf(format, a...)
		if p.took("trap: " + text) {
			p.gist.Traps = append(p.gist.Traps, text)
		} else {
			p.gist.LeftOut.Traps++
		}
	}
	for _, t := range picks {
		if !t.in {
			continue
		}
		if t.RowRule {
			add("%s: %s", t.TableID, api.RowRuleWarning)
		}
		var many []string // tables that have many rows for one of this
		for _, j := range known {
			if j.To == t.TableID && j.Multiplicity == api.ManyToOne && !slices.Contains(many, j.Table) {
				many = append(many, j.Table)
			}
		}
		if len(many) > 1 {
			add("one row of %s has many of %s: joined together these repeat each other; aggregate each before", t.TableID, strings.Join(many, ", "))
		} else if len(many) == 1 {
			add("one row of %s has many of %s: figures of %s are repeated by the join", t.TableID, many[0], t.TableID)
		}
		var names []string
		for i, c := range t.Columns {
			if t.shown[i] {
				names = append(names, c.Name)
			}
		}
		for _, c := range api.CaveatsAbout(names, t.Caveats) {
			add("%s: %s", t.TableID, printable.Line(c.Text))
		}
		for i, c := range t.Columns {
			if typ := strings.ToUpper(c.Type); t.first[i] && t.shown[i] && (strings.HasPrefix(typ, "TIMESTAMP") && !strings.Contains(typ, "TZ") &&
				!strings.Contains(typ, "WITH TIME") || strings.HasPrefix(typ, "DATETIME")) {
				add("%s.%s has no time zone", t.TableID, printable.Line(c.Name))
			}
		}
	}
}
