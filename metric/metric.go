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
	"github.com/agnes-data/da/internal/words/suggest"
)

// Request asks for metrics.
type Request struct {
	Metrics []string // by name, at least one
	// By are dimensions, each with a grain if it is a time: region, order__status,
	// metric_time__month, or month for the last.
	By []string
	// Where are conditions on dimensions, all of which must hold.
	Where []string
}

// Compiled is the statement for a request.
type Compiled struct {
	SQL     string   `json:"sql"`
	Columns []string `json:"columns"` // By with the dimensions' whole names, then the metrics
	Tables  []string `json:"tables"`  // their ids
}

// compiler holds what one request needs.
type compiler struct {
	*api.SemanticModel
	req      Request
	branches []*branch // in the order in which their first figure is needed
	figures  int
	tables   []string
}

// Compile returns the statement that answers a request, in the SQL of DuckDB. Rows
// are ordered by their dimensions. Errors have CodeUsage and name the metric,
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
			return nil, refuse(fmt.Sprintf("%s of one metric are %s of another", strings.Join(names, ", "), strings.Join(now, ", ")), "Write the whole names, or ask for each metric alone.")
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
	if len(names) > 0 {
		out.SQL += "\nORDER BY " + strings.Join(quoteAll(names), ", ")
	}
	return out, nil
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
					cols = append(cols, quote(f.column))
				} else {
					cols = append(cols, as("NULL", f.column))
				}
			}
		}
		parts[i] = "SELECT " + strings.Join(cols, ", ") + "\nFROM " + nested(text, "b")
	}
	for _, b := range c.branches {
		for _, f := range b.figures {
			list = append(list, as("max("+quote(f.column)+")", f.column))
		}
	}
	return "SELECT " + strings.Join(list, ", ") + "\nFROM " + nested(strings.Join(parts, "\nUNION ALL\n"), "u") + groupBy(names)
}

// use is a metric where it is needed.
type use struct {
	metric  string
	filters []string
	back    *api.Span
	start   string
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
			return "", refuse(fmt.Sprintf("cumulative metric %q over a metric that is not simple, or shifted in time, is not understood", m.Name), "")
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
		return "", refuse(fmt.Sprintf("metric %q stands on semantic model %q, which there is not", m.Name, m.Table), "")
	case t.TableID == "":
		return "", refuse(fmt.Sprintf("metric %q stands on %s, and the catalog has no such table", m.Name, cmp.Or(t.Relation, t.Name)), "The instance names it as a table with that relation, or with its last part as id.")
	}
	b := &branch{c: c, table: t, metric: m, cumulative: cumulative, use: u}
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
		return fmt.Sprintf("coalesce(%s, %d)", quote(f.column), *fill), nil
	}
	return quote(f.column), nil
}

// reads notes that the statement reads a table.
func (c *compiler) reads(id string) {
	if !slices.Contains(c.tables, id) {
		c.tables = append(c.tables, id)
	}
}

func (c *compiler) metric(name string) (*api.Metric, error) {
	i := slices.IndexFunc(c.Metrics, func(m api.Metric) bool { return m.Name == name })
	if i < 0 {
		return nil, c.unknown(name)
	}
	if m := &c.Metrics[i]; m.Unclear == "" {
		return m, nil
	}
	return nil, refuse(c.Metrics[i].Unclear, "Ask for another metric, or write the statement yourself.")
}

func (c *compiler) unknown(name string) error {
	var names []string
	for _, m := range c.Metrics {
		if !m.Inner {
			names = append(names, m.Name)
		}
	}
	return &api.Error{Code: api.CodeUsage, Kind: api.KindUnknownMetric, Message: fmt.Sprintf("there is no metric '%s'", api.Clip(name, 80)),
		Hint: meant(name, names), Next: []api.Step{api.Do(api.ActionMetrics, "see the metrics")}}
}

// meant suggests names; empty: none is near.
func meant(name string, names []string) string {
	slices.Sort(names)
	if near := suggest.Near(name, slices.Compact(names)); len(near) > 0 {
		return "Did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

func (c *compiler) table(name string) *api.SemanticTable {
	i := slices.IndexFunc(c.SemanticModel.Tables, func(t api.SemanticTable) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &c.SemanticModel.Tables[i]
}

func refuse(message, hint string) error {
	return &api.Error{Code: api.CodeUsage, Kind: api.KindMetric, Message: message, Hint: hint}
}

// Check returns why a metric cannot be asked for: what is missing of what it, its
// time, its filters and its inputs stand on.
func Check(m *api.SemanticModel, name string) error {
	c := &compiler{SemanticModel: m}
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
