package plot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
)

// Chart is a drawing before it has a format. Its names and labels are safe to show.
type Chart struct {
	// Caveats are those of the rows, and what the plot does not show.
	Caveats []api.Caveat
	// Used says which columns are plotted as what.
	Used string
	// Rows is the number of rows of the result, and Taken how many of them were
	// plotted, from the first.
	Rows, Taken int64
	// Width and Height are the pixels of an image; 0: as many as fit it.
	Width, Height int

	kind   Kind
	head   string // above the drawing; empty: the names of the columns
	x      string // the name of the axis
	axis   axis
	xs     []float64 // a place for each point; of labels 0, 1, 2, …
	labels []string
	series []series
	bins   []bin
}

// series is a plotted column, or its values for one group; missing values are
// NaN.
type series struct {
	name   string
	values []float64
	xs     []float64 // the x positions of the values; nil: those of the chart
}

// places returns where the values of s are.
func (c *Chart) places(s series) []float64 {
	if s.xs != nil {
		return s.xs
	}
	return c.xs
}

// Shown are the values of one series of a chart; nil where it has none.
type Shown struct {
	Name   string
	Values []any
}

// Shown returns what the chart shows, series by series.
func (c *Chart) Shown() (all []Shown) {
	for _, s := range c.series {
		one := Shown{Name: s.name}
		for _, v := range s.values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				one.Values = append(one.Values, nil)
			} else {
				one.Values = append(one.Values, v)
			}
		}
		all = append(all, one)
	}
	return all
}

// maxLabel is the length at which a label is cut, in characters.
const maxLabel = 200

// Read reads rdr to its end and returns what to plot. It returns errors of rdr
// and ctx unchanged; other errors are *api.Error, for example if there are no
// rows or no values to plot.
func Read(ctx context.Context, rdr api.Rows, s Spec) (*Chart, error) {
	columns, err := choose(rdr.Schema(), s)
	if err != nil {
		return nil, err
	}
	r := newReading(rdr.Schema(), columns, s)
	for rdr.Next() {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		r.batch(rdr.RecordBatch())
		if r.groups.tooMany {
			return nil, r.groups.refusal()
		}
	}
	if err := rdr.Err(); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	c, err := r.chart()
	if err == nil {
		c.tell(rdr.Caveats())
	}
	return c, err
}

// tell adds the caveats of the rows. A plot of a part says so in its title, which
// stays with the picture.
func (c *Chart) tell(caveats []api.Caveat) {
	c.Caveats = api.Arranged(append(c.Caveats, caveats...))
	of := ""
	if slices.ContainsFunc(c.Caveats, func(k api.Caveat) bool { return k.Kind == api.CaveatCut }) {
		of = "more"
	} else if c.Taken < c.Rows {
		of = humanize.Grouped(c.Rows)
	}
	if of != "" {
		c.head = fmt.Sprintf("%s (first %s of %s rows)", c.title(), humanize.Grouped(c.Taken), of)
	}
}

// reading is a Chart in the making.
type reading struct {
	c       Chart
	columns chosen
	most    int64
	asked   bool    // most is the caller's
	counts  counter // of a histogram
	bins    int
	groups  groups
	taken   int64 // rows that were used
	noX     int64 // rows without a place
	noY     int64 // values that are not drawn
}

func newReading(schema *arrow.Schema, columns chosen, s Spec) *reading {
	r := &reading{columns: columns, most: s.Kind.most(), bins: cmp.Or(s.Bins, mostBins)}
	if s.Most > 0 && (r.most == 0 || s.Most < r.most) {
		r.most, r.asked = s.Most, true
	}
	r.c.kind, r.c.x, r.c.head = s.Kind, "row", safeLabel(s.Title)
	if columns.x >= 0 {
		f := schema.Field(columns.x)
		r.c.x, r.c.axis = safeLabel(f.Name), axisOf(f)
	}
	if s.Kind == Bar {
		r.c.axis = labels
	}
	for _, i := range columns.y {
		r.c.series = append(r.c.series, series{name: safeLabel(schema.Field(i).Name)})
	}
	r.c.Used = r.used()
	if columns.by >= 0 {
		r.groups.begin(&r.c, safeLabel(schema.Field(columns.by).Name))
	}
	return r
}

func (r *reading) used() string {
	if r.c.kind == Hist {
		return fmt.Sprintf("hist counts the values of '%s'", r.c.x)
	}
	x := "the number of the row"
	if r.columns.x >= 0 {
		x = "'" + r.c.x + "'"
	}
	return fmt.Sprintf("%s: x is %s, y is '%s'", r.c.kind, x, strings.Join(r.c.names(), "', '"))
}

func (c *Chart) names() []string {
	names := make([]string, len(c.series))
	for i, s := range c.series {
		names[i] = s.name
	}
	return names
}

// batch uses the rows up to the limit, and counts all.
func (r *reading) batch(b arrow.RecordBatch) {
	n := b.NumRows()
	r.c.Rows += n
	if r.most > 0 {
		n = min(n, r.most-r.taken)
	}
	if n <= 0 {
		return
	}
	place, label := r.places(b)
	var values []valuer
	for _, i := range r.columns.y {
		values = append(values, valuesOf(b.Schema().Field(i), b.Column(i)))
	}
	var group func(i int) string
	if r.columns.by >= 0 {
		group = labelsOf(b, r.columns.by)
	}
	for i := range int(n) {
		r.row(i, place, label, group, values)
	}
}

// labelsOf reads a column as labels.
func labelsOf(b arrow.RecordBatch, at int) func(i int) string {
	column := arrowjson.Bind(b.Schema().Field(at), b.Column(at))
	return func(i int) string {
		text, kind, cut := column.AppendStart(nil, i, maxLabel)
		if kind == arrowjson.Null {
			return "NULL"
		}
		if cut {
			text = append(text, "…"...)
		}
		return safeLabel(string(text))
	}
}

// places returns a function that reads a row's x as a position or as a label.
func (r *reading) places(b arrow.RecordBatch) (place valuer, label func(i int) string) {
	x := r.columns.x
	switch {
	case x < 0:
		return nil, func(int) string { return humanize.Grouped(r.taken) }
	case r.c.axis == labels:
		return nil, labelsOf(b, x)
	}
	return valuesOf(b.Schema().Field(x), b.Column(x)), nil
}

func (r *reading) row(i int, place valuer, label, group func(int) string, values []valuer) {
	r.taken++
	at := float64(len(r.c.xs))
	switch {
	case r.columns.x < 0 && r.c.axis != labels:
		at = float64(r.taken)
	case r.c.axis != labels:
		var ok bool
		if at, ok = place(i); !ok {
			r.noX++
			return
		}
		if r.c.kind == Hist {
			r.counts.add(at)
			return
		}
	case group == nil:
		r.c.labels = append(r.c.labels, label(i))
	default:
		at = r.groups.label(&r.c, label(i))
	}
	if group != nil {
		v, ok := values[0](i)
		if !ok {
			r.noY++
			v = math.NaN()
		}
		r.groups.add(&r.c, group(i), at, v)
		return
	}
	r.c.xs = append(r.c.xs, at)
	for j, value := range values {
		v, ok := value(i)
		if !ok {
			r.noY++
			v = math.NaN()
		}
		r.c.series[j].values = append(r.c.series[j].values, v)
	}
}

// chart ends the reading.
func (r *reading) chart() (*Chart, error) {
	c := &r.c
	if c.Rows == 0 {
		return nil, refuse("there is nothing to plot: the result has no rows", "Look at the conditions of the statement.")
	}
	drawable := int64(len(c.xs)*max(len(r.columns.y), 1)) - r.noY
	if c.kind == Hist {
		drawable = r.counts.total
	}
	if drawable == 0 {
		return nil, refuse("there is nothing to plot: no row has a value to draw", "NULL, NaN and infinite values are not drawn.")
	}
	c.Taken = r.taken
	if c.Taken < c.Rows && !r.asked {
		c.say(fmt.Sprintf("the first %s of %s rows are drawn; draw fewer with GROUP BY, or choose them with ORDER BY and LIMIT",
			humanize.Grouped(r.taken), humanize.Grouped(c.Rows)))
	}
	if r.noX > 0 {
		c.say(fmt.Sprintf("%s no finite '%s', not drawn", humanize.Plural(r.noX, "row has", "rows have"), c.x))
	}
	if r.noY > 0 {
		c.say(humanize.Plural(r.noY, "value is", "values are") + " NULL or not finite, and not drawn")
	}
	if len(r.columns.unused) > 0 {
		c.say("not drawn: " + printable.Line(strings.Join(r.columns.unused, ", ")))
	}
	switch c.kind {
	case Hist:
		c.bins = r.counts.bins(r.bins)
	case Line, Scatter:
		c.order()
	}
	r.sayRepeats()
	return c, nil
}

func (c *Chart) say(note string, next ...api.Step) {
	c.Caveats = append(c.Caveats, api.Caveat{Kind: api.CaveatUnread, Text: note, Next: next})
}

// title returns the title of the plot.
func (c *Chart) title() string {
	if c.head != "" {
		return c.head
	}
	if c.kind == Hist {
		return "rows by " + c.x
	}
	return strings.Join(c.names(), ", ") + " by " + c.x
}

func safeLabel(s string) string { return printable.Line(s) }
