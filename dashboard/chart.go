package dashboard

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/plot"
	"github.com/agnes-data/da/server/resultset"
)

// mostMarks is how many rows are drawn one by one; of more, their mean is.
const mostMarks = 5000

// chart is what the page draws of a result.
type chart struct {
	Kind    string `json:"kind"` // bar, line, point or area
	X       string `json:"x"`
	Y       string `json:"y"`
	By      string `json:"by"`
	How     string `json:"how"` // each, mean, median, sum, count or distinct
	Title   string `json:"title"`
	Bins    bool   `json:"bins"`
	Also    string `json:"also"`
	Highest bool   `json:"highest"`
	Log     bool   `json:"log"`
	Panels  bool   `json:"panels"`
	Percent bool   `json:"percent"`
}

func (c *chart) title() string {
	if c == nil {
		return ""
	}
	return c.Title
}

// draw draws a result as the page does, of all its rows. What cannot be drawn is a
// CodeUsage.
func (c *chart) draw(ctx context.Context, set *resultset.Set) (*reports.Drawing, error) {
	c, group, err := c.settle(ctx, set)
	if err != nil {
		return nil, err
	}
	stream, spec, err := c.marks(ctx, set, group)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	if spec.Kind = map[string]plot.Kind{"bar": plot.Bar, "point": plot.Scatter}[c.Kind]; spec.Kind == "" {
		spec.Kind = plot.Line
	}
	drawn, err := plot.Read(ctx, stream.Rows(), spec)
	if err != nil {
		return nil, err
	}
	if c.Also != "" && len(spec.Y) < 2 || c.Highest || c.Log || c.Panels || c.Percent {
		drawn.Caveats = append(drawn.Caveats, api.NewCaveat(api.CaveatOther,
			"the page draws this chart with more: a second column, sorted bars, powers of ten, panels or percentages"))
	}
	return reports.Draw(drawn)
}

// settle says what is drawn, and of which columns, as settle of web/src/chart/choice.ts does:
// web/test/charts.json has examples. If c is nil, it proposes a chart.
func (c *chart) settle(ctx context.Context, set *resultset.Set) (*chart, api.GroupResult, error) {
	unasked := c == nil
	if unasked {
		var err error
		if c, err = propose(ctx, set); err != nil {
			return nil, api.GroupResult{}, err
		}
	}
	at := func(name string) int {
		return slices.IndexFunc(set.Columns, func(p api.PageColumn) bool { return name != "" && p.Name == name })
	}
	settled := *c
	c = &settled
	if i := at(c.Also); i < 0 || c.Also == c.Y || !set.Columns[i].Numeric {
		c.Also = ""
	} else {
		c.By = ""
	}
	group := api.GroupResult{X: at(c.X), Y: at(c.Y), By: at(c.By), How: cmp.Or(c.How, "each")}
	if group.X < 0 || c.By != "" && group.By < 0 || c.Y != "" && group.Y < 0 {
		return nil, group, &api.Error{Code: api.CodeUsage, Message: "the result lacks a column of the chart"}
	}
	many, bars := set.Rows > mostMarks, c.Kind == "bar" || c.Kind == "area"
	measured := group.Y >= 0 && set.Columns[group.Y].Numeric
	group.Bins = set.Columns[group.X].Numeric && (c.Bins || many && group.How == "each")
	switch {
	case group.How == "distinct" && group.Y >= 0:
	case !measured, group.Bins && (group.How == "each" && !many || group.X == group.Y):
		group.How = "count"
	case many && group.How == "each":
		group.How = "mean"
	case !many && (bars || unasked && c.Kind == "line") && group.How == "each":
		found, err := places(ctx, set, group)
		if err != nil {
			return nil, group, err
		}
		if found < set.Rows { // some rows share a place
			group.How = "mean"
		}
	}
	return c, group, nil
}

// places counts the places that the rows of a chart have.
func places(ctx context.Context, set *resultset.Set, group api.GroupResult) (int64, error) {
	group.How = "count"
	stream, out, err := set.Group(ctx, group)
	if err != nil {
		return 0, err
	}
	stream.Close()
	return out.Found, nil
}

// marks are the rows that are drawn, and their columns.
func (c *chart) marks(ctx context.Context, set *resultset.Set, group api.GroupResult) (*api.Stream, plot.Spec, error) {
	if group.How == "each" {
		stream, _, err := set.Stream(ctx, api.ResultPart{}, 0, -1)
		spec := plot.Spec{X: c.X, Y: []string{c.Y}, By: c.By}
		if c.Also != "" {
			spec.Y = append(spec.Y, c.Also)
		}
		return stream, spec, err
	}
	stream, out, err := set.Group(ctx, group)
	if err != nil {
		return nil, plot.Spec{}, err
	}
	if out.Found > api.MaxGroups {
		stream.Known = append(slices.Clone(stream.Known), api.NewCaveat(api.CaveatCut, "only the %d places with the most rows are drawn, of %d",
			api.MaxGroups, out.Found))
	}
	names := set.GroupNames(group)
	spec := plot.Spec{X: names[0], Y: names[1:2]}
	if c.By != "" {
		spec.By = names[2]
	}
	return stream, spec, nil
}

// noMeasure are the names of numbers that tell when or which, not how much.
var noMeasure = lazyregexp.New(`(?i)^(year|quarter|month|week|day|hour|id)$|_(id|key)$`)

// mostNames is how many texts a proposed chart has across.
const mostNames = 60

// mostColours is how many values a proposed chart tells apart by colours.
const mostColours = 20

// propose is the chart that the page shows of a result until another one is chosen.
func propose(ctx context.Context, set *resultset.Set) (*chart, error) {
	columns := set.Columns
	c := &chart{Kind: "bar"}
	x, wordy, err := proposeAcross(ctx, set)
	if err != nil {
		return nil, err
	}
	if x < 0 && !wordy {
		c.Kind, x = "point", 0
	} else if x >= 0 && isTime(columns[x]) {
		c.Kind = "line"
	}
	if x >= 0 {
		c.X = columns[x].Name
	}
	y := -1
	for i, p := range columns { // the last number that measures
		if p.Numeric && i != x && (y < 0 || !noMeasure().MatchString(p.Name)) {
			y, c.Y = i, p.Name
		}
	}
	if x < 0 && c.Y == "" {
		return nil, &api.Error{Code: api.CodeUsage, Message: "no column has few values, and none has numbers"}
	}
	if x < 0 || c.Kind == "point" && c.Y == "" { // how a number is spread
		c.Kind, c.How, c.Bins, c.X = "bar", "count", true, cmp.Or(c.Y, c.X)
		return c, nil
	}
	if c.Y == "" || c.Kind == "point" {
		return c, nil
	}
	if found, err := places(ctx, set, api.GroupResult{X: x, Y: -1, By: -1}); err != nil || found == set.Rows {
		return c, err
	}
	for i, p := range columns { // what tells rows of one place apart gives colours
		if i == x || i == y || p.Numeric && !noMeasure().MatchString(p.Name) {
			continue
		}
		colours, err := places(ctx, set, api.GroupResult{X: i, Y: -1, By: -1})
		if err != nil {
			return nil, err
		}
		if found, err := places(ctx, set, api.GroupResult{X: x, Y: -1, By: i}); err != nil || colours <= mostColours && found == set.Rows {
			c.By = p.Name
			return c, err
		}
	}
	return c, nil
}

// proposeAcross is the column that goes across: of those with times, and then of those with
// few texts, the first with more than one value; -1 for none. wordy says that not all
// columns are numbers.
func proposeAcross(ctx context.Context, set *resultset.Set) (x int, wordy bool, err error) {
	x = -1
	for _, times := range []bool{true, false} {
		for i, p := range set.Columns {
			if p.Numeric || isTime(p) != times {
				continue
			}
			wordy = true
			found, err := places(ctx, set, api.GroupResult{X: i, Y: -1, By: -1})
			if err != nil {
				return 0, false, err
			}
			if !times && set.Rows > mostNames && (found > mostNames || 2*found > set.Rows) {
				continue
			}
			if found > 1 {
				return i, true, nil
			}
			if x < 0 {
				x = i
			}
		}
	}
	return x, wordy, nil
}

func isTime(p api.PageColumn) bool {
	return strings.HasPrefix(p.Type, "date") || strings.HasPrefix(p.Type, "timestamp")
}
