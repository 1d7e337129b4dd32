package metric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

// compiler holds what one request needs.
type compiler struct {
	*api.SemanticModel
	req      Request
	branches []*branch // in the order in which their first figure is needed
	figures  int
	tables   []string
	asked    string // the metric of the request that is compiled
}

// use is a metric where it is needed.
type use struct {
	metric  string
	filters []string
	back    *api.Span
	start   string
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
