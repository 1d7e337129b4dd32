// Package metric turns a question for metrics of a semantic model into one SELECT: a
// function of the model and the question alone. It reads no table and runs nothing;
// its statement goes through the gate like any other. What it does not understand it
// refuses by name.
package metric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Request asks for metrics.
type Request struct {
	Metrics []string // by name, at least one
	// By are dimensions, each with a grain if it is a time: region, order__status,
	// metric_time__month, or month for the last.
	By []string
	// Where are conditions on dimensions. A row counts if all of them hold.
	Where []string
	// Order are metrics or dimensions of the request, each with ASC or DESC behind it or not.
	Order []string
}

// Compiled is the statement for a request.
type Compiled struct {
	SQL     string   `json:"sql"`
	Columns []string `json:"columns"` // By with the dimensions' whole names, then the metrics
	Tables  []string `json:"tables"`  // their ids
}

// Compile returns the statement that answers a request, in the SQL of DuckDB. Rows
// are ordered by what Order says, and then by their dimensions. Errors have CodeUsage and name the metric,
// dimension or condition that is not understood.
func Compile(m *api.SemanticModel, req Request) (*Compiled, error) {
	if len(req.Metrics) == 0 {
		return nil, refuse("no metric is named", "")
	}
	c := &compiler{SemanticModel: m, req: req}
	var exprs []string
	for _, name := range req.Metrics {
		if v, err := c.metric(name); err == nil && v.Inner {
			return nil, c.unknown(name)
		}
		c.asked = name
		expr, err := c.figure(use{metric: name, filters: req.Where}, 0)
		if err != nil {
			return nil, err
		}
		exprs = append(exprs, expr)
	}
	var names []string
	union := make([]string, 0, len(c.branches))
	for _, b := range c.branches {
		items, err := b.resolve()
		if err != nil {
			return nil, err
		}
		if now := namesOf(items); names != nil && !slices.Equal(names, now) {
			return nil, refuse(fmt.Sprintf("%s of one metric are %s of another", strings.Join(names, ", "), strings.Join(now, ", ")),
				"Write the whole names, or ask for each metric alone.")
		}
		names = namesOf(items)
		text, err := b.write()
		if err != nil {
			return nil, err
		}
		union = append(union, text)
	}
	text := union[0]
	if len(union) > 1 {
		text = c.joined(names, union)
	}
	out := &Compiled{Columns: append(slices.Clone(names), req.Metrics...), Tables: c.tables}
	list := quoteAll(names)
	for i, name := range req.Metrics {
		list = append(list, as(exprs[i], name))
	}
	out.SQL = "SELECT " + strings.Join(list, ", ") + "\nFROM " + nested(text, "g")
	order, err := c.ordered(names)
	if err == nil && len(order) > 0 {
		out.SQL += "\nORDER BY " + strings.Join(order, ", ")
	}
	return out, err
}

// ordered are the items of ORDER BY: what the request says, and then the dimensions.
func (c *compiler) ordered(names []string) (items []string, err error) {
	for _, text := range c.req.Order {
		name, way, _ := strings.Cut(strings.TrimSpace(text), " ")
		column, way := name, strings.ToUpper(strings.TrimSpace(way))
		if it, err := c.branches[0].item(name); err == nil && !slices.Contains(c.req.Metrics, name) {
			column = it.column
		}
		if !slices.Contains(slices.Concat(names, c.req.Metrics), column) || !slices.Contains([]string{"", "ASC", "DESC"}, way) {
			return nil, refuse(fmt.Sprintf("the rows have no order by '%s'", api.Clip(text, 80)),
				"They have one by "+strings.Join(slices.Concat(c.req.Metrics, names), " or ")+", with DESC behind it for the greatest first.")
		}
		if way == "DESC" {
			way += " NULLS LAST"
		}
		items = append(items, strings.TrimSpace(Quote(column)+" "+way))
	}
	return append(items, quoteAll(names)...), nil
}

// joined puts the figures of several branches that have the same dimensions into one
// row each. A dimension that is NULL is one group.
func (c *compiler) joined(names, union []string) string {
	list, parts := quoteAll(names), make([]string, len(union))
	for i, text := range union {
		cols := quoteAll(names)
		for _, b := range c.branches {
			for _, f := range b.figures {
				if b == c.branches[i] {
					cols = append(cols, Quote(f.column))
				} else {
					cols = append(cols, as("NULL", f.column))
				}
			}
		}
		parts[i] = "SELECT " + strings.Join(cols, ", ") + "\nFROM " + nested(text, "b")
	}
	for _, b := range c.branches {
		for _, f := range b.figures {
			list = append(list, as("max("+Quote(f.column)+")", f.column))
		}
	}
	return "SELECT " + strings.Join(list, ", ") + "\nFROM " + nested(strings.Join(parts, "\nUNION ALL\n"), "u") + groupBy(names)
}

// deepest is how far metrics may be made of metrics.
const deepest = 20

// figure returns the expression of a metric over the columns of branches.
func (c *compiler) figure(u use, depth int) (string, error) {
	m, err := c.metric(u.metric)
	if err != nil {
		return "", err
	}
	if depth > deepest {
		return "", refuse(fmt.Sprintf("metric %q is made of itself", m.Name), "")
	}
	u.filters = append(slices.Clone(m.Filters), u.filters...)
	switch m.Kind {
	case api.MetricSimple:
		return c.leaf(m, nil, u)
	case api.MetricCumulative:
		in := m.Inputs[0]
		over, err := c.metric(in.Metric)
		if err != nil {
			return "", err
		}
		if over.Kind != api.MetricSimple || u.back != nil || u.start != "" {
			return "", refuse(fmt.Sprintf("cumulative metric %q over a metric that is not simple, or shifted in time, is not understood", m.Name),
				"")
		}
		u.filters = append(slices.Concat(over.Filters, in.Filters), u.filters...)
		return c.leaf(over, m, u)
	}
	var names, exprs []string
	for _, in := range m.Inputs {
		part := use{metric: in.Metric, filters: append(slices.Clone(in.Filters), u.filters...), back: in.Back, start: in.Start}
		if u.back != nil || u.start != "" {
			if part.back != nil || part.start != "" {
				return "", refuse(fmt.Sprintf("metric %q is shifted in time twice, which is not understood", m.Name), "")
			}
			part.back, part.start = u.back, u.start
		}
		expr, err := c.figure(part, depth+1)
		if err != nil {
			return "", err
		}
		names, exprs = append(names, cmp.Or(in.As, in.Metric)), append(exprs, expr)
	}
	if m.Kind == api.MetricRatio {
		return fmt.Sprintf("CAST(%s AS DOUBLE PRECISION) / CAST(NULLIF(%s, 0) AS DOUBLE PRECISION)", exprs[0], exprs[1]), nil
	}
	return substitute(m.Expr, names, exprs)
}

// leaf adds a figure to the branch that has its rows, and returns its column.
func (c *compiler) leaf(m, cumulative *api.Metric, u use) (string, error) {
	t := c.table(m.Table)
	switch {
	case t == nil:
		return "", refuse(fmt.Sprintf("metric %q needs semantic model %q, which is not in the file", m.Name, m.Table), "")
	case t.TableID == "":
		return "", refuse(fmt.Sprintf("metric %q needs the table %s, which the catalog lacks", m.Name, cmp.Or(t.Relation, t.Name)),
			"The instance names it as a table with that relation, or with its last part as id.")
	}
	b := &branch{c: c, table: t, metric: m, asked: c.asked, cumulative: cumulative, use: u}
	i := slices.IndexFunc(c.branches, b.same)
	if i < 0 {
		c.branches = append(c.branches, b)
		c.reads(t.TableID)
	} else {
		b = c.branches[i]
	}
	f := figure{agg: m.Agg, expr: m.Expr, fraction: m.Fraction, discrete: m.Discrete}
	at := slices.IndexFunc(b.figures, func(g figure) bool { f.column = g.column; return f == g })
	if at < 0 {
		c.figures++
		f.column = fmt.Sprintf("f%d", c.figures)
		b.figures = append(b.figures, f)
	} else {
		f = b.figures[at]
	}
	fill := m.Fill
	if cumulative != nil {
		fill = cmp.Or(cumulative.Fill, fill)
	}
	if fill != nil {
		return fmt.Sprintf("coalesce(%s, %d)", Quote(f.column), *fill), nil
	}
	return Quote(f.column), nil
}

// Check returns why a metric cannot be asked for: what is missing of what it, its
// time, its filters and its inputs use.
func Check(m *api.SemanticModel, name string) error {
	c := &compiler{SemanticModel: m, asked: name}
	if _, err := c.figure(use{metric: name}, 0); err != nil {
		return err
	}
	for _, b := range c.branches {
		if b.metric.Time != "" && len(b.named(Time)) == 0 {
			return refuse(fmt.Sprintf("the time of metric '%s' is missing", name), "")
		}
		if _, err := b.resolve(); err != nil {
			return err
		}
		if _, err := b.rows(b.items(false), ""); err != nil {
			return err
		}
	}
	return nil
}

// resolve finds the dimensions of the request and of the conditions.
func (b *branch) resolve() ([]item, error) {
	b.by, b.filters = nil, nil
	for _, word := range b.c.req.By {
		it, err := b.item(word)
		if err != nil {
			return nil, err
		}
		if slices.Contains(namesOf(b.by), it.column) {
			return nil, refuse(fmt.Sprintf("'%s' is asked for twice", it.column), "")
		}
		b.by = append(b.by, it)
	}
	for _, text := range b.use.filters {
		parts, err := b.conditions(text)
		if err != nil {
			return nil, err
		}
		b.filters = append(b.filters, parts...)
	}
	return b.by, nil
}

// write returns the SELECT of the branch: its dimensions and its figures.
func (b *branch) write() (string, error) {
	shifted := b.use.back != nil || b.use.start != ""
	windowed := b.cumulative != nil && (b.cumulative.Window != nil || b.cumulative.ToDate != "")
	if len(b.times()) == 0 {
		if shifted || windowed {
			return "", refuse(fmt.Sprintf("metric '%s' looks at other times, and has no value without one", b.asked),
				"Ask for it by a time too, such as metric_time or month.")
		}
		return b.aggregated()
	}
	switch {
	case b.cumulative == nil && !shifted && !b.metric.Every:
		return b.aggregated()
	case b.metric.OneOf != nil || b.metric.Every && (shifted || b.cumulative != nil):
		return "", refuse(fmt.Sprintf("metric '%s' takes one of several times, or has a row for each, and looks at other times: together that is not understood", b.asked), "")
	case b.cumulative != nil:
		return b.accumulated()
	}
	return b.alongSpine()
}
