package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
)

// joined is a table in the FROM of a branch, with the columns that are taken of it.
type joinedTable struct {
	alias, id string
	columns   []string // with their expressions
	on        string
}

// rows returns a SELECT with one row for each row of the table: dimensions by their
// names, the values of figures, and day, if it is not empty, with the metric's day.
func (b *branch) rows(items []item, day string) (string, error) {
	tables := []*joinedTable{{alias: "t", id: b.table.TableID}}
	places := map[string]*joinedTable{"": tables[0]}
	var list []string
	take := func(from *joinedTable, expr, name string) string {
		if column := as(expr, name); !slices.Contains(from.columns, column) {
			from.columns = append(from.columns, column)
		}
		return from.alias + "." + Quote(name)
	}
	for _, it := range items {
		from, path := tables[0], ""
		for _, h := range it.way {
			path += strings.Join(slices.Concat([]string{"", h.to.Name}, h.from, h.key), "\x00")
			next := places[path]
			if next == nil {
				next = &joinedTable{alias: fmt.Sprintf("j%d", len(tables)), id: h.to.TableID}
				tables, places[path] = append(tables, next), next
				b.c.reads(next.id)
				for i, key := range h.from {
					if i > 0 {
						next.on += " AND "
					}
					next.on += take(from, key, statement.MetricKey+key) + " = " + take(next, h.key[i], statement.MetricKey+h.key[i])
				}
			}
			from = next
		}
		expr := it.expr
		if it.at != "" && it.own == "" {
			expr = trunc(it.at, expr)
		}
		if it.own != "" {
			s := &joinedTable{alias: fmt.Sprintf("j%d", len(tables)), id: b.c.Spine.TableID}
			tables = append(tables, s)
			b.c.reads(s.id)
			s.on = take(from, trunc("day", expr), "day of "+it.name) + " = " + take(s, Quote(b.c.Spine.Day), "day")
			from, expr = s, Quote(it.own)
		}
		list = append(list, take(from, expr, it.column))
	}
	if day != "" {
		list = append(list, take(tables[0], trunc("day", b.timeExpr()), day))
	}
	if n := b.metric.OneOf; n != nil {
		extra, err := b.oneTimeColumns(n)
		if err != nil {
			return "", err
		}
		for _, e := range extra {
			list = append(list, take(tables[0], e[0], e[1]))
		}
	}
	for _, f := range b.figures {
		list = append(list, take(tables[0], f.value(), "v"+f.column))
	}
	selects := func(t *joinedTable) string {
		return "SELECT " + strings.Join(t.columns, ", ") + "\nFROM " + Quote(t.id)
	}
	if len(tables) == 1 {
		return selects(tables[0]), nil
	}
	text := "SELECT " + strings.Join(list, ", ") + "\nFROM " + nested(selects(tables[0]), "t")
	for _, t := range tables[1:] {
		text += "\nLEFT JOIN " + nested(selects(t), t.alias) + " ON " + t.on
	}
	return text, nil
}

// oneTimeColumns are the columns that choose one of several times, and their names.
func (b *branch) oneTimeColumns(n *api.OneTime) (out [][2]string, err error) {
	i := slices.IndexFunc(b.table.Dimensions, func(d api.Dimension) bool { return d.Name == n.Time && d.Grain != "" })
	if i < 0 {
		return nil, refuse(fmt.Sprintf("metric %q takes one of several %q, and %q has no such time", b.metric.Name, n.Time, b.table.Name), "")
	}
	d := b.table.Dimensions[i]
	out = append(out, [2]string{trunc(d.Grain, d.Expr), "at"})
	for i, name := range n.By {
		expr := ""
		for _, e := range b.table.Entities {
			if e.Name == name {
				expr = e.Expr
			}
		}
		for _, d := range b.table.Dimensions {
			if d.Name == name && d.Grain == "" {
				expr = d.Expr
			}
		}
		if expr == "" {
			return nil, refuse(fmt.Sprintf("metric %q takes one time of each %q, which %q does not have", b.metric.Name, name, b.table.Name), "")
		}
		out = append(out, [2]string{expr, fmt.Sprintf("of %d", i)})
	}
	return out, nil
}

// timeExpr is the expression of the metric's time.
func (b *branch) timeExpr() string {
	i := slices.IndexFunc(b.table.Dimensions, func(d api.Dimension) bool { return d.Name == b.metric.Time })
	return b.table.Dimensions[i].Expr
}
