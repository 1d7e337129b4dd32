package dbt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestProjectsAreReadAsDBTReadsThem compares the YAML of projects with the semantic
// manifests that dbt made of it: the two specifications of them.
func TestProjectsAreReadAsDBTReadsThem(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"flights", "shop", "latest"} {
		folder := filepath.Join("..", "testdata", set)
		want, err := Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadProject(Files(filepath.Join(folder, "models"))...)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Unclear) > 0 {
			t.Error(set, got.Unclear)
		}
		if got, want := shown(t, got), shown(t, want); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", set, got, want)
		}
	}
}

// shown is a model with its names of relations as short as YAML has them.
func shown(t *testing.T, m *api.SemanticModel) string {
	t.Helper()
	m.Writer = ""
	slices.SortFunc(m.Tables, func(a, b api.SemanticTable) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Metrics, func(a, b api.Metric) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Joins, func(a, b api.Join) int { return strings.Compare(a.Table+a.Column, b.Table+b.Column) })
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"\w+\.main\.`).ReplaceAllString(string(text), `"`)
}

// TestWhatProjectsHaveBesideIsNamed: what is not understood, by its name and file.
func TestWhatProjectsHaveBesideIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		ProjectFile: "name: x\nmodel-paths: [things]\n",
		"things/a.yml": `
semantic_models:
  - { name: a, model: "{{ ref('p', 'a') }}", measures: [ { name: n, agg: sum, create_metric: true, expr: 1 } ], dimensions: [ { name: d, type: time } ] }
  - { name: b, model: "source('x', 'y')" }
  - { name: c, model: "ref('c')", grain: day }
  - { name: e, model: "ref('e')", measures: [ { name: f, agg: sum, expr: "{{ x() }}" } ] }
  - { name: g, model: "ref('g')", dimensions: [ { name: d, type: time, type_params: { time_granularity: day, zone: x } } ] }
  - { name: h, model: "ref('h')", measures: [ { name: f, agg: sum, non_additive_dimension: { name: d, window_agg: max } } ] }
  - { name: off, model: "ref('off')", config: { enabled: false } }
models:
  - { name: i, semantic_model: true, columns: [ { name: c, description: x, tests: [ unique ], entity: primary, grain: day } ] }
  - { name: j, semantic_model: true, columns: [ { name: c, dimension: { type: time, zone: x } } ] }
  - { name: k, semantic_model: true, derived_semantics: { dimensions: [ { name: c, type: time, sql: x } ] } }
  - { name: plain, columns: [ { name: c, anything: x } ] }
metrics:
  - { name: conversion, label: c, type: conversion, type_params: { conversion_type_params: { entity: x, base_measure: n, conversion_measure: n } } }
  - { name: odd, label: c, type: cumulative, type_params: { measure: n, window: often } }
  - { name: split, label: s, type: derived, type_params: { expr: n / NULLIF(n, 0), metrics: [ n ] } }
  - { name: new, type: ratio, numerator: n, denominator: n, weight: 3 }
  - { name: input, type: derived, expr: n, input_metrics: [ { name: n, weight: 3 } ] }
  - { name: part, type: ratio, numerator: { name: n, wieght: 3 }, denominator: n }
  - { name: once, type: simple, agg: sum, expr: 1, non_additive_dimension: { name: d, window_choice: max } }
  - { name: older, label: o, type: ratio, type_params: { numerator: { name: n, offset: 1 }, denominator: n } }
  - { name: summed, label: s, type: cumulative, type_params: { measure: { name: n, scale: 1 }, cumulative_type_params: { metric: n } } }
  - { name: orphan, agg: sum, expr: x }
  - { name: filled, agg: sum, expr: x, fill_nulls_with: soon }
  - { name: two, type: simple, label: two, type_params: { measure: n }, filter: [ "{{ Dimension('a__d') }} > 1", "true" ] }
`,
		"other/b.yml": "metrics: [ { name: elsewhere } ]\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := ReadProject(Files(folder)...)
	if err != nil {
		t.Fatal(err)
	}
	said := slices.Clone(m.Unclear)
	for _, metric := range m.Metrics {
		if said = append(said, metric.Unclear); metric.Unclear == "" {
			said[len(said)-1] = metric.Name + " " + metric.Expr + " " + strings.Join(metric.Filters, " and ")
		}
	}
	want := []string{
		`semantic model "i" in a.yml: grain of c in columns is not understood`,
		`semantic model "j" in a.yml: zone in dimension of column c is not understood`,
		`semantic model "k" in a.yml: sql of c in dimensions is not understood`,
		`semantic model "b" in a.yml: the reference "source('x', 'y')" is not understood`,
		`semantic model "c" in a.yml: grain is not understood`,
		`semantic model "e" in a.yml: the template in expr of f in measures is not understood`,
		`semantic model "g" in a.yml: zone in type_params of d in dimensions is not understood`,
		`semantic model "h" in a.yml: window_agg of d in non_additive_dimension of f in measures is not understood`,
		`n 1 `,
		`metric "conversion" in a.yml: type_params.conversion_type_params is not understood`,
		`metric "odd" in a.yml: type_params (json: cannot unmarshal string into Go struct field params.window of type dbt.window) is not understood`,
		`metric "split" in a.yml: type_params.0) is not understood`,
		`metric "new" in a.yml: weight is not understood`,
		`metric "input" in a.yml: weight of n in input_metrics is not understood`,
		`metric "part" in a.yml: wieght of n in numerator is not understood`,
		`metric "once" in a.yml: window_choice of d in non_additive_dimension is not understood`,
		`metric "older" in a.yml: offset of n in numerator is not understood`,
		`metric "summed" in a.yml: scale of n in measure is not understood`,
		`metric "orphan" in a.yml: there is no semantic model "" is not understood`,
		`metric "filled" in a.yml: type_params (json: cannot unmarshal string into Go struct field params.fill_nulls_with of type int64) is not understood`,
		`two 1 {{ Dimension('a__d') }} > 1 and true`,
	}
	if !slices.Equal(said, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	if err := os.WriteFile(filepath.Join(folder, "things", "a.yml"), []byte(`
models:
  - { name: a, columns: [ { name: bc, tests: [ { relationships: { to: ref('c'), field: id } } ] } ] }
  - { name: ab, columns: [ { name: c, tests: [ { relationships: { to: ref('c'), field: id } } ] } ] }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := ReadProject(Files(folder)...); err != nil || len(m.Joins) != 2 {
		t.Errorf("names that are alike in one line: %v, %v", m, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "things", "a.yml"), []byte("metrics: [ {"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadProject(Files(folder)...); err == nil || !strings.Contains(err.Error(), "a.yml: line 1") {
		t.Error(err)
	}
}
