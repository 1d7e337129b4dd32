// Package dbt reads what dbt writes about the meaning of tables: its semantic
// manifest, and beside that its manifest for descriptions. What it does not
// understand of a metric is said in that metric, by its name and place.
package dbt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
)

// SemanticManifest is the name of the file that dbt writes below its target folder.
const SemanticManifest = "semantic_manifest.json"

// maxBytes is the maximum size of a manifest.
const maxBytes = 256 << 20

// Read reads a semantic manifest, or that in a folder, with the manifest beside it.
// The error has CodeConfig. Tables have the alias of their relation as TableID.
func Read(path string) (*api.SemanticModel, error) {
	file := path
	if filepath.Ext(path) != ".json" {
		file = filepath.Join(path, SemanticManifest)
	}
	var m manifest
	if err := load(file, &m); err != nil {
		return nil, err
	}
	if m.SemanticModels == nil || m.Metrics == nil {
		return nil, fault(file, "it has no semantic_models and metrics", nil)
	}
	r := newReader()
	for i := range m.Metrics {
		m.Metrics[i].Place = SemanticManifest
	}
	return r.read(&m, r.readNodes(filepath.Join(filepath.Dir(file), "manifest.json"))), nil
}

func newReader() *reader {
	return &reader{tables: map[string]*semanticModel{}, made: map[string]bool{},
		out: &api.SemanticModel{Tables: []api.SemanticTable{}, Metrics: []api.Metric{}}}
}

// read takes the tables and metrics.
func (r *reader) read(m *manifest, descriptions map[string]string) *api.SemanticModel {
	for i := range m.SemanticModels {
		r.table(&m.SemanticModels[i], descriptions)
	}
	r.spine(m.Project.TimeSpines)
	for i := range m.Metrics {
		r.metric(&m.Metrics[i])
	}
	return r.out
}

func load(file string, into any) error {
	data, err := kernelfs.ReadFile(file, maxBytes)
	if err != nil {
		return fault(file, "cannot be read", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fault(file, "is not a manifest of dbt: "+err.Error(), err)
	}
	return nil
}

func fault(file, what string, err error) error {
	return &api.Error{Code: api.CodeConfig, Message: file + ": " + what, Err: err,
		Hint: "Name the file " + SemanticManifest + " that 'dbt parse' writes, or its folder."}
}

// The parts of the files that are read. A null and an empty value mean the same.
type (
	manifest struct {
		SemanticModels []semanticModel `json:"semantic_models"`
		Metrics        []metric        `json:"metrics"`
		Project        struct {
			TimeSpines []timeSpine `json:"time_spines"`
		} `json:"project_configuration"`
	}
	relation struct {
		Alias    string `json:"alias"`
		Relation string `json:"relation_name"`
	}
	semanticModel struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Defaults    struct {
			Time string `json:"agg_time_dimension"`
		} `json:"defaults"`
		Node       relation                            `json:"node_relation"`
		Primary    string                              `json:"primary_entity"`
		Entities   []struct{ Name, Type, Expr string } `json:"entities"`
		Measures   []measure                           `json:"measures"`
		Dimensions []struct {
			Name, Type, Expr, Description string
			Params                        struct {
				Grain    string          `json:"time_granularity"`
				Validity json.RawMessage `json:"validity_params"`
			} `json:"type_params"`
		} `json:"dimensions"`
	}
	measure struct {
		Name, Agg, Expr, Description string
		Time                         string       `json:"agg_time_dimension"`
		Params                       aggParams    `json:"agg_params"`
		NonAdditive                  *nonAdditive `json:"non_additive_dimension"`
		Model                        string       `json:"semantic_model"`
	}
	aggParams struct {
		Percentile  float64 `json:"percentile"`
		Discrete    bool    `json:"use_discrete_percentile"`
		Approximate bool    `json:"use_approximate_percentile"`
	}
	nonAdditive struct {
		Name   string   `json:"name"`
		Choice string   `json:"window_choice"`
		By     []string `json:"window_groupings"`
	}
	filter struct {
		Where []struct {
			SQL string `json:"where_sql_template"`
		} `json:"where_filters"`
	}
	window struct {
		Count int64  `json:"count"`
		Grain string `json:"granularity"`
	}
	timeSpine struct {
		Node    relation `json:"node_relation"`
		Primary struct {
			Name  string `json:"name"`
			Grain string `json:"time_granularity"`
		} `json:"primary_column"`
		Custom []struct {
			Name   string
			Column string `json:"column_name"`
		} `json:"custom_granularities"`
	}
)

// reader collects a model.
type reader struct {
	tables map[string]*semanticModel // by name
	made   map[string]bool           // simple metrics that stand for measures
	out    *api.SemanticModel
}

// node is what the manifest knows of a model's or source's relation, or of a test.
type node struct {
	Relation    string `json:"relation_name"`
	Description string `json:"description"`
	Test        struct {
		Name   string `json:"name"`
		Kwargs struct {
			Column string `json:"column_name"`
			Field  string `json:"field"`
		} `json:"kwargs"`
	} `json:"test_metadata"`
	Constraints []constraint `json:"constraints"` // of a model with a contract
	Config      struct {
		Where string `json:"where"` // the rows that a test looks at; empty: all
	} `json:"config"`
	Of        string `json:"attached_node"` // whose test it is
	DependsOn struct {
		Nodes []string `json:"nodes"`
	} `json:"depends_on"`
}

// constraint is a key that a model declares. To is a relation.
type constraint struct {
	Type      string   `json:"type"`
	Columns   []string `json:"columns"`
	To        string   `json:"to"`
	ToColumns []string `json:"to_columns"`
}

// readNodes returns the descriptions of relations, and takes the joins that tests hold;
// the manifest need not be there.
func (r *reader) readNodes(file string) map[string]string {
	var m struct {
		Metadata struct {
			Adapter string `json:"adapter_type"`
		} `json:"metadata"`
		Nodes   map[string]node `json:"nodes"`
		Sources map[string]node `json:"sources"`
	}
	if load(file, &m) != nil {
		return nil
	}
	r.out.Writer = m.Metadata.Adapter
	nodes := maps.Clone(m.Sources)
	if nodes == nil {
		nodes = map[string]node{}
	}
	maps.Copy(nodes, m.Nodes)
	return r.relations(nodes)
}

// relations returns the descriptions of relations, and takes the joins that tests hold.
func (r *reader) relations(nodes map[string]node) map[string]string {
	descriptions := map[string]string{}
	for _, n := range nodes {
		if n.Relation != "" {
			descriptions[n.Relation] = n.Description
		}
	}
	r.joins(nodes)
	return descriptions
}

// joins takes the joins that tests of relationships check, and the foreign keys of
// contracts. A join leads to one row if a test checks that the other column is unique, in
// all rows of its table.
func (r *reader) joins(nodes map[string]node) {
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		n := nodes[id]
		to := slices.DeleteFunc(slices.Clone(n.DependsOn.Nodes), func(other string) bool { return other == n.Of })
		if n.Test.Name != "relationships" || len(to) != 1 || nodes[to[0]].Relation == "" || nodes[n.Of].Relation == "" {
			continue
		}
		j := api.Join{Table: bare(nodes[n.Of].Relation), Column: n.Test.Kwargs.Column, To: bare(nodes[to[0]].Relation),
			ToColumn: n.Test.Kwargs.Field, KnownFrom: api.JoinFromTest}
		for _, other := range nodes {
			if other.Test.Name == "unique" && other.Config.Where == "" && other.Of == to[0] && other.Test.Kwargs.Column == j.ToColumn {
				j.Multiplicity = api.ManyToOne
			}
		}
		r.out.Joins = append(r.out.Joins, j)
	}
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		for _, k := range nodes[id].Constraints {
			if k.Type != "foreign_key" || len(k.Columns) == 0 || len(k.Columns) != len(k.ToColumns) || nodes[id].Relation == "" {
				continue
			}
			j := api.Join{Table: bare(nodes[id].Relation), To: bare(k.To), Column: k.Columns[0], ToColumn: k.ToColumns[0],
				Multiplicity: api.ManyToOne, KnownFrom: api.JoinFromContract}
			for i := range k.Columns[1:] {
				j.More = append(j.More, api.ColumnPair{Column: k.Columns[i+1], ToColumn: k.ToColumns[i+1]})
			}
			r.out.Joins = append(r.out.Joins, j)
		}
	}
}

func (r *reader) table(s *semanticModel, descriptions map[string]string) {
	r.tables[s.Name] = s
	t := api.SemanticTable{Name: s.Name, Description: cmp.Or(s.Description, descriptions[s.Node.Relation]),
		TableID: strings.ToLower(s.Node.Alias), Relation: bare(s.Node.Relation), Key: s.Primary}
	for _, e := range s.Entities {
		one := e.Type == "primary" || e.Type == "unique"
		if e.Type == "natural" {
			continue // rows are told apart by a time of validity, too: no join by it alone is right
		}
		if e.Type == "primary" {
			t.Key = e.Name
		}
		t.Entities = append(t.Entities, api.Entity{Name: e.Name, Expr: cmp.Or(e.Expr, e.Name), One: one})
	}
	for _, d := range s.Dimensions {
		dim := api.Dimension{Name: d.Name, Description: d.Description, Expr: cmp.Or(d.Expr, d.Name)}
		if d.Type == "time" {
			dim.Grain = cmp.Or(strings.ToLower(d.Params.Grain), "day")
		}
		t.Dimensions = append(t.Dimensions, dim)
	}
	r.out.Tables = append(r.out.Tables, t)
}

// bare takes the quotes of a relation's name away.
func bare(name string) string {
	return strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "").Replace(name)
}

// spine takes the spine of days, which is the only one that is used.
func (r *reader) spine(spines []timeSpine) {
	for _, s := range spines {
		if strings.ToLower(s.Primary.Grain) != "day" {
			continue
		}
		r.out.Spine = &api.Spine{TableID: strings.ToLower(s.Node.Alias), Relation: bare(s.Node.Relation), Day: s.Primary.Name}
		for _, c := range s.Custom {
			if r.out.Spine.Grains == nil {
				r.out.Spine.Grains = map[string]string{}
			}
			r.out.Spine.Grains[c.Name] = cmp.Or(c.Column, c.Name)
		}
	}
}

// simple fills in what a measure says.
func (r *reader) simple(m *api.Metric, table string, v measure) error {
	s := r.tables[table]
	if s == nil {
		return fmt.Errorf("there is no semantic model %q", table)
	}
	if v.Params.Approximate {
		return fmt.Errorf("use_approximate_percentile of %q", cmp.Or(v.Name, m.Name))
	}
	m.Table, m.Agg, m.Expr, m.Time = table, v.Agg, cmp.Or(v.Expr, v.Name), cmp.Or(v.Time, s.Defaults.Time)
	m.Fraction, m.Discrete = v.Params.Percentile, v.Params.Discrete
	if n := v.NonAdditive; n != nil {
		m.OneOf = &api.OneTime{Time: n.Name, By: n.By, Last: n.Choice == "max"}
		if n.Choice != "max" && n.Choice != "min" {
			return fmt.Errorf("window_choice %q", n.Choice)
		}
	}
	if !slices.Contains([]string{"sum", "min", "max", "average", "count", "count_distinct", "sum_boolean", "median", "percentile"}, v.Agg) {
		return fmt.Errorf("agg %q", v.Agg)
	}
	return nil
}

// measured finds a measure.
func (r *reader) measured(name string) (string, measure, error) {
	for _, table := range slices.Sorted(maps.Keys(r.tables)) {
		for _, v := range r.tables[table].Measures {
			if v.Name == name {
				return table, v, nil
			}
		}
	}
	return "", measure{}, fmt.Errorf("there is no measure %q", name)
}
