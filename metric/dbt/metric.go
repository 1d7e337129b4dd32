package dbt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

type (
	metric struct {
		Name, Label, Description, Type string
		Params                         json.RawMessage `json:"type_params"`
		Filter                         filter          `json:"filter"`
		Place                          string          `json:"place"`   // the file that defines it
		Unclear                        string          `json:"unclear"` // what of it nobody understands
	}
	params struct {
		Measure      *measureInput     `json:"measure"`
		Numerator    *metricInput      `json:"numerator"`
		Denominator  *metricInput      `json:"denominator"`
		Expr         string            `json:"expr"`
		Window       *window           `json:"window"`
		ToDate       string            `json:"grain_to_date"`
		Metrics      []metricInput     `json:"metrics"`
		Cumulative   *cumulativeParams `json:"cumulative_type_params"`
		Aggregation  *measure          `json:"metric_aggregation_params"`
		Every        bool              `json:"join_to_timespine"`
		Fill         *int64            `json:"fill_nulls_with"`
		Private      bool              `json:"is_private"`
		InputMeasure json.RawMessage   `json:"input_measures"` // what the others name already
	}
	cumulativeParams struct {
		Window *window      `json:"window"`
		ToDate string       `json:"grain_to_date"`
		Pick   string       `json:"period_agg"`
		Metric *metricInput `json:"metric"`
	}
	measureInput struct {
		Name   string `json:"name"`
		Alias  string `json:"alias"`
		Filter filter `json:"filter"`
		Every  bool   `json:"join_to_timespine"`
		Fill   *int64 `json:"fill_nulls_with"`
	}
	metricInput struct {
		Name   string  `json:"name"`
		Alias  string  `json:"alias"`
		Filter filter  `json:"filter"`
		Back   *window `json:"offset_window"`
		Start  string  `json:"offset_to_grain"`
	}
)

// understood are the fields of type_params that are read.
var understood = strings.Fields("measure numerator denominator expr window grain_to_date metrics cumulative_type_params metric_aggregation_params join_to_timespine fill_nulls_with is_private input_measures")

// metric reads a metric. What is not understood of it is kept as Unclear.
func (r *reader) metric(m *metric) {
	out := api.Metric{Name: m.Name, Label: m.Label, Description: m.Description, Kind: api.MetricKind(m.Type), Filters: filters(m.Filter)}
	if err := r.define(&out, m); err != nil {
		out = api.Metric{Name: m.Name, Label: m.Label, Description: m.Description, Kind: out.Kind,
			Unclear: fmt.Sprintf("metric %q in %s: %s is not understood", m.Name, m.Place, err)}
	}
	r.out.Metrics = append(r.out.Metrics, out)
}

func (r *reader) define(out *api.Metric, m *metric) error {
	var fields map[string]json.RawMessage
	var p params
	if m.Unclear != "" {
		return errors.New(m.Unclear)
	}
	if err := json.Unmarshal(m.Params, &fields); err != nil {
		return fmt.Errorf("type_params (%w)", err)
	}
	for name, value := range fields {
		empty := slices.Contains([]string{"null", "false", "[]", "{}", `""`}, string(value))
		part := strings.Contains(name, ")") // of an expression in braces, which a comma has cut
		if (!empty || part) && !slices.Contains(understood, name) {
			return fmt.Errorf("type_params.%s", name)
		}
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return fmt.Errorf("type_params (%w)", err)
	}
	out.Inner = p.Private
	switch m.Type {
	case "simple":
		return r.simpleMetric(out, p)
	case "ratio":
		if p.Numerator == nil || p.Denominator == nil {
			return fmt.Errorf("a ratio without numerator or denominator")
		}
		out.Inputs = []api.MetricInput{input(*p.Numerator), input(*p.Denominator)}
	case "derived":
		out.Expr = p.Expr
		for _, i := range p.Metrics {
			out.Inputs = append(out.Inputs, input(i))
		}
	case "cumulative":
		return r.cumulative(out, p)
	default:
		return fmt.Errorf("type %q", m.Type)
	}
	return nil
}

// simpleMetric reads a metric that aggregates itself or names a measure.
func (r *reader) simpleMetric(out *api.Metric, p params) error {
	out.Fill, out.Every = p.Fill, p.Every
	if p.Aggregation != nil {
		v := *p.Aggregation
		v.Expr = cmp.Or(p.Expr, v.Expr, out.Name)
		return r.simple(out, v.Model, v)
	}
	if p.Measure == nil {
		return fmt.Errorf("a simple metric without measure")
	}
	table, v, err := r.measured(p.Measure.Name)
	if err != nil {
		return err
	}
	out.Filters = append(out.Filters, filters(p.Measure.Filter)...)
	out.Fill, out.Every = p.Measure.Fill, p.Measure.Every
	return r.simple(out, table, v)
}

// cumulative reads a metric over a window of time. Its measure becomes a metric.
func (r *reader) cumulative(out *api.Metric, p params) error {
	out.Pick, out.Window, out.ToDate = "first", span(p.Window), p.ToDate
	over := metricInput{}
	if c := p.Cumulative; c != nil {
		out.Pick = cmp.Or(c.Pick, out.Pick)
		out.ToDate = cmp.Or(c.ToDate, out.ToDate)
		if c.Window != nil {
			out.Window = span(c.Window)
		}
		if c.Metric != nil {
			over = *c.Metric
		}
	}
	if p.Measure != nil {
		inner := api.Metric{Name: "measure " + p.Measure.Name, Kind: api.MetricSimple, Inner: true}
		if err := r.simpleMetric(&inner, params{Measure: &measureInput{Name: p.Measure.Name}}); err != nil {
			return err
		}
		if !r.made[inner.Name] {
			r.made[inner.Name] = true
			r.out.Metrics = append(r.out.Metrics, inner)
		}
		if p.Measure.Every {
			return fmt.Errorf("join_to_timespine of a cumulative metric")
		}
		over, out.Fill = metricInput{Name: inner.Name, Filter: p.Measure.Filter}, p.Measure.Fill
	}
	if over.Name == "" {
		return fmt.Errorf("a cumulative metric without measure or metric")
	}
	out.Inputs = []api.MetricInput{input(over)}
	return nil
}

func input(i metricInput) api.MetricInput {
	return api.MetricInput{Metric: i.Name, As: i.Alias, Filters: filters(i.Filter), Back: span(i.Back), Start: strings.ToLower(i.Start)}
}

func span(w *window) *api.Span {
	if w == nil {
		return nil
	}
	return &api.Span{N: w.Count, Grain: strings.TrimSuffix(strings.ToLower(w.Grain), "s")}
}

func filters(f filter) []string {
	var out []string
	for _, w := range f.Where {
		out = append(out, w.SQL)
	}
	return out
}
