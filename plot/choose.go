package plot

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/suggest"
)

// Spec says what to plot. X defaults to the first column, Y to all others; a
// histogram has no Y.
type Spec struct {
	Kind Kind
	X    string
	Y    []string
	// By is a column whose values each get a line, a colour or a bar; it requires
	// a single Y.
	By string
	// Title is written above; empty: the names of the columns.
	Title string
	// Bins is how many bars a histogram has at most; 0: as many as fit.
	Bins int
	// Most is the maximum number of rows to plot; 0 means the limit of the kind.
	// Caveats do not mention rows that it leaves out, because the caller asked for
	// that.
	Most int64
}

// maxSeries is how many columns a plot shows: as many as have a sign and a
// colour of their own.
const maxSeries = 8

// chosen are the columns of a plot, by their place in the result.
type chosen struct {
	x  int // -1: the number of the row
	y  []int
	by int // -1 if not given
	// unused are the columns of a histogram's result that it does not show.
	unused []string
}

// choose finds the columns of a spec and checks that they can be drawn.
func choose(schema *arrow.Schema, s Spec) (chosen, error) {
	fields := schema.Fields()
	if len(fields) == 0 {
		return chosen{}, refuse("the result has no columns to plot", "")
	}
	if s.Kind == Hist {
		return chooseHist(fields, s)
	}
	if s.Bins != 0 {
		return chosen{}, refuse("only a histogram has bins", "", api.Unset(api.OptionBins, ""),
			api.SetTo(api.OptionPlot, string(Hist), "draw one"))
	}
	c := chosen{by: -1}
	if s.By != "" {
		var err error
		if c.by, err = find(fields, s.By); err != nil {
			return c, err
		}
		if c.by == 0 {
			c.x = min(1, len(fields)-1)
		}
	}
	switch {
	case s.X != "":
		var err error
		if c.x, err = find(fields, s.X); err != nil {
			return c, err
		}
	case len(fields) == 1 || len(s.Y) > 0 && s.Y[0] == fields[0].Name:
		c.x = -1
	}
	for _, name := range s.Y {
		i, err := find(fields, name)
		if err != nil {
			return c, err
		}
		c.y = append(c.y, i)
	}
	for i := range fields {
		if len(s.Y) == 0 && i != c.x && i != c.by {
			c.y = append(c.y, i)
		}
	}
	return c, check(fields, c, s)
}

func chooseHist(fields []arrow.Field, s Spec) (chosen, error) {
	c := chosen{by: -1}
	if len(s.Y) > 0 || s.By != "" {
		return c, refuse("a histogram has no y columns: it counts the values of one", "", api.Set(api.OptionX, "name that column"),
			api.Unset(api.OptionY, ""), api.Unset(api.OptionBy, ""))
	}
	if s.Bins < 0 || s.Bins > maxBins {
		return c, refuse(fmt.Sprintf("a histogram has 1 to %d bins", maxBins), "")
	}
	if s.X != "" {
		var err error
		if c.x, err = find(fields, s.X); err != nil {
			return c, err
		}
	}
	for i, f := range fields {
		if i != c.x {
			c.unused = append(c.unused, f.Name)
		}
	}
	if f := fields[c.x]; axisOf(f) != numbers {
		return c, refuse(fmt.Sprintf("a histogram is drawn of numbers; column '%s' holds %s", printable.Line(f.Name), holds(f)),
			"Or count in SQL and draw bars: SELECT …, count(*) … GROUP BY 1.", api.Set(api.OptionX, "name another column"),
			api.SetTo(api.OptionPlot, string(Bar), "draw bars"))
	}
	return c, nil
}

// check rejects what cannot be plotted.
func check(fields []arrow.Field, c chosen, s Spec) error {
	if len(c.y) == 0 {
		return refuse("there is no column left to draw as y", "Select one more column with numbers.")
	}
	if c.by >= 0 && (len(c.y) != 1 || c.by == c.x) {
		return refuse("a plot by the values of one column draws one y column", "Name three columns: one each for x, y and by.",
			api.Set(api.OptionX, ""), api.Set(api.OptionY, ""), api.Set(api.OptionBy, ""))
	}
	if len(c.y) > maxSeries {
		return refuse(fmt.Sprintf("a plot shows at most %d y columns; the result has %d", maxSeries, len(c.y)), "",
			api.Set(api.OptionY, "choose some"))
	}
	for _, i := range c.y {
		if f := fields[i]; axisOf(f) != numbers {
			return refuse(fmt.Sprintf("y columns must be numbers; column '%s' holds %s", printable.Line(f.Name), holds(f)),
				"CAST that one to a number, or choose others.", api.Set(api.OptionY, "choose the columns to draw"))
		}
	}
	if s.Kind == Scatter && c.x >= 0 && axisOf(fields[c.x]) == labels {
		f := fields[c.x]
		return refuse(fmt.Sprintf("points need an x of numbers or dates; column '%s' holds %s", printable.Line(f.Name), holds(f)),
			"", api.Set(api.OptionX, "choose another column"), api.SetTo(api.OptionPlot, string(Bar), "draw bars"))
	}
	return nil
}

func find(fields []arrow.Field, name string) (int, error) {
	var names []string
	for i, f := range fields {
		if f.Name == name {
			return i, nil
		}
		names = append(names, f.Name)
	}
	e := refuse(fmt.Sprintf("the result has no column '%s'", printable.Line(name)),
		"Its columns are "+printable.Line(strings.Join(names, ", "))+".")
	e.Code = api.CodeUnknownColumn
	if near := suggest.Near(name, names); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean '%s'? ", printable.Line(near[0])) + e.Hint
	}
	return 0, e
}

func refuse(message, hint string, next ...api.Step) *api.Error {
	return &api.Error{Code: api.CodeUsage, Message: message, Hint: hint, Next: next}
}

// axis is the kind of an axis's values.
type axis uint8

const (
	numbers axis = iota
	moments      // dates and timestamps, as seconds since 1970
	labels       // any other type, as text
)

func axisOf(f arrow.Field) axis {
	if arrowjson.Numeric(f) {
		return numbers
	}
	switch f.Type.ID() {
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return moments
	}
	return labels
}

// holds describes a column's values for people.
func holds(f arrow.Field) string {
	switch id := f.Type.ID(); {
	case axisOf(f) == moments || id == arrow.TIME32 || id == arrow.TIME64:
		return "dates or times"
	case id == arrow.BOOL:
		return "true and false"
	case arrow.IsNested(id):
		return "nested values"
	case id == arrow.NULL:
		return "only NULL"
	}
	return "text"
}
