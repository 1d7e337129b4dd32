package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// groups makes a series for each value of a column.
type groups struct {
	by       string
	y        string
	series   map[string]int
	labels   map[string]int
	repeated int64 // rows whose place in their group was taken
	tooMany  bool
}

// begin starts grouping the single y column.
func (g *groups) begin(c *Chart, by string) {
	g.by, g.y = by, c.series[0].name
	g.series, g.labels = map[string]int{}, map[string]int{}
	c.head = firstOf(c.head, g.y+" by "+c.x+" and "+by)
	c.series = nil
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// label is the place of a label, one for all groups.
func (g *groups) label(c *Chart, text string) float64 {
	at, known := g.labels[text]
	if !known {
		at = len(c.labels)
		g.labels[text] = at
		c.labels = append(c.labels, text)
	}
	return float64(at)
}

// add puts a value into the series of its group.
func (g *groups) add(c *Chart, group string, at, v float64) {
	n, known := g.series[group]
	if !known {
		if n = len(c.series); n == maxSeries {
			g.tooMany = true
			return
		}
		g.series[group] = n
		c.series = append(c.series, series{name: group, xs: []float64{}})
	}
	c.xs = append(c.xs, at)
	s := &c.series[n]
	if c.kind != Bar {
		s.xs, s.values = append(s.xs, at), append(s.values, v)
		return
	}
	for i := range c.series { // every series has a value or NaN for each bar
		for len(c.series[i].values) < len(c.labels) {
			c.series[i].values = append(c.series[i].values, math.NaN())
		}
	}
	if !math.IsNaN(s.values[int(at)]) {
		g.repeated++
		return
	}
	s.values[int(at)] = v
}

func (g *groups) refusal() error {
	return refuse(fmt.Sprintf("a plot shows at most %d groups; '%s' has more values", maxSeries, g.by),
		"Choose some in the statement, as in WHERE "+g.by+" IN (…).")
}

// sayRepeats warns if a position has several values, so that a line jumps between
// them, and if text that looks like dates or numbers is not drawn to scale.
func (r *reading) sayRepeats() {
	c := &r.c
	unlikeScale := func(label string) bool { return !strings.ContainsAny(label, "0123456789") }
	if c.kind == Line && c.axis == labels && !slices.ContainsFunc(c.labels, unlikeScale) {
		c.say(fmt.Sprintf("x is text and is drawn in the order of the rows; if '%s' holds dates or numbers, CAST it", c.x))
	}
	if c.kind != Line && c.kind != Bar {
		return
	}
	repeated := r.groups.repeated
	switch {
	case c.axis == labels && r.columns.by < 0:
		repeated = int64(len(c.labels) - distinct(c.labels))
	case c.kind == Line:
		for _, s := range c.series {
			repeated += int64(len(c.places(s)) - distinct(c.places(s)))
			if s.xs == nil {
				break // all have the same places
			}
		}
	}
	if repeated > 0 {
		var next []api.Step
		if r.columns.by < 0 {
			next = []api.Step{api.Set(api.OptionBy, "draw each group apart")}
		}
		c.say(fmt.Sprintf("%s a value of '%s' that another row has; GROUP BY gives one value for each",
			humanize.Plural(repeated, "row repeats", "rows repeat"), c.x), next...)
	}
}

// distinct counts the different values.
func distinct[T string | float64](values []T) int {
	return len(slices.Compact(slices.Sorted(slices.Values(values))))
}
