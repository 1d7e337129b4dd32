package dbt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/guard/strictyaml"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// ProjectFile is the name of the file that makes a folder a project.
const ProjectFile = "dbt_project.yml"

type object = map[string]any

// Files lists the YAML of a project, where its models are, or below another folder.
func Files(folder string) (files []string) {
	roots := []string{folder}
	if project, err := yamlOf(filepath.Join(folder, ProjectFile)); err == nil {
		paths, isList := project["model-paths"].([]any)
		if !isList {
			paths = []any{"models"}
		}
		roots = nil
		for _, path := range paths {
			roots = append(roots, filepath.Join(folder, str(path)))
		}
	}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && IsYAML(path) {
				files = append(files, path)
			}
			return nil // what cannot be listed is not read
		})
	}
	return files
}

// IsYAML reports whether a file's name is that of YAML.
func IsYAML(name string) bool {
	return slices.Contains([]string{".yml", ".yaml"}, filepath.Ext(name))
}

// IsProperties reports whether a file has what dbt reads beside models.
func IsProperties(file string) bool {
	doc, err := yamlOf(file)
	return err == nil && len(items(doc["semantic_models"]))+len(items(doc["models"]))+len(items(doc["metrics"])) > 0
}

func yamlOf(file string) (doc object, err error) {
	data, err := kernelfs.ReadFile(file, 16<<20)
	if err == nil {
		err = strictyaml.Decode(string(data), &doc)
	}
	return doc, err
}

// ReadProject reads the semantic models and metrics that people write in YAML, beside
// models or in them, as dbt 1.12 makes a semantic manifest of them. The error has
// CodeConfig.
func ReadProject(files ...string) (*api.SemanticModel, error) {
	p := project{nodes: map[string]node{}, alias: map[string]string{}}
	docs := make([]object, len(files))
	for i, file := range files {
		var err error
		if docs[i], err = yamlOf(file); err != nil {
			return nil, &api.Error{Code: api.CodeConfig, Message: file + ": " + err.Error(), Err: err,
				Hint: "Write YAML as dbt reads it: 'dbt parse' checks it."}
		}
		for _, model := range items(docs[i]["models"]) { // others refer to them
			p.named(model)
		}
	}
	for i, file := range files {
		p.file = filepath.Base(file)
		for _, model := range items(docs[i]["models"]) {
			p.model(model)
		}
		for _, table := range items(docs[i]["semantic_models"]) {
			p.table(table)
		}
		for _, m := range items(docs[i]["metrics"]) {
			p.metric("", m)
		}
	}
	text, err := json.Marshal(object{"semantic_models": p.tables, "metrics": p.metrics,
		"project_configuration": object{"time_spines": p.spines}})
	var m manifest
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: filepath.Dir(files[0]) + ": " + err.Error(), Err: err,
			Hint: "'dbt parse' says what dbt does not accept."}
	}
	r := newReader()
	r.out.Unclear = p.unclear
	return r.read(&m, r.relations(p.nodes)), nil
}

// project collects what files say in the shape of a semantic manifest.
type project struct {
	file                    string // being read
	tables, metrics, spines []object
	nodes                   map[string]node
	alias                   map[string]string // of models, by their names
	unclear                 []string
}

func (p *project) refuse(what string, name any, why error) {
	p.unclear = append(p.unclear, fmt.Sprintf("%s %q in %s: %s is not understood", what, fmt.Sprint(name), p.file, why))
}

// named takes a model's relation, and what its tests say of joins.
func (p *project) named(model object) {
	name := str(model["name"])
	config, _ := model["config"].(object)
	p.alias[name] = name
	if alias := str(config["alias"]); alias != "" {
		p.alias[name] = alias
	}
	n := node{Relation: p.alias[name], Description: str(model["description"])}
	for _, c := range items(model["constraints"]) {
		if to, err := referred(c["to"]); err == nil {
			n.Constraints = append(n.Constraints, constraint{str(c["type"]), texts(c["columns"]), to, texts(c["to_columns"])})
		}
	}
	p.nodes[name] = n
	for _, column := range items(model["columns"]) {
		for _, key := range []string{"tests", "data_tests"} {
			list, _ := column[key].([]any)
			for i, test := range list {
				p.test(fmt.Sprintf("%s\x00%v\x00%s\x00%d", name, column["name"], key, i), name, str(column["name"]), test)
			}
		}
	}
}

func (p *project) test(id, of, column string, test any) {
	n := node{Of: of}
	n.Test.Name, n.Test.Kwargs.Column = str(test), column
	for name, value := range objectOf(test) {
		with := objectOf(value)
		n.Config.Where = str(objectOf(with["config"])["where"]) + str(with["where"])
		if inner := objectOf(with["arguments"]); inner != nil {
			with = inner
		}
		n.Test.Name, n.Test.Kwargs.Field = name, str(with["field"])
		if to, err := referred(with["to"]); err == nil {
			n.DependsOn.Nodes = []string{of, to}
			if p.nodes[to].Relation == "" { // no file describes it
				p.nodes[to] = node{Relation: to}
			}
		}
	}
	p.nodes[id] = n
}

// reference is how models name each other.
var reference = lazyregexp.New(`^\s*(?:\{\{)?\s*ref\(\s*(?:['"][^'"]+['"]\s*,\s*)?['"]([^'"]+)['"]\s*\)\s*(?:\}\})?\s*$`)

func referred(v any) (string, error) {
	if m := reference().FindStringSubmatch(str(v)); m != nil {
		return m[1], nil
	}
	return "", fmt.Errorf("the reference %q", str(v))
}

func (p *project) relation(model string) object {
	if alias := p.alias[model]; alias != "" {
		model = alias
	}
	return object{"alias": model, "relation_name": model}
}

// table takes one of semantic_models.
func (p *project) table(t object) {
	of, err := referred(t["model"])
	for _, part := range [][2]string{{"entities", "name type description label config role expr"},
		{"dimensions", "name type type_params description label is_partition config expr"},
		{"measures", "name agg expr description label agg_params non_additive_dimension agg_time_dimension create_metric config"}} {
		err = cmp.Or(err, knownIn(t, part[0], part[1]))
		for _, o := range items(t[part[0]]) {
			if why := cmp.Or(knownIn(o, "type_params", "time_granularity validity_params"),
				knownIn(o, "agg_params", "percentile use_discrete_percentile use_approximate_percentile"),
				knownIn(o, "non_additive_dimension", "name window_choice window_groupings")); err == nil && why != nil {
				err = fmt.Errorf("%w of %v in %s", why, o["name"], part[0])
			}
		}
	}
	err = cmp.Or(err, knownIn(t, "defaults", "agg_time_dimension"),
		known(t, "name model description label config defaults entities measures dimensions primary_entity"))
	if err != nil || off(t) {
		if err != nil {
			p.refuse("semantic model", t["name"], err)
		}
		return
	}
	out := rewritten(t).(object)
	out["node_relation"] = p.relation(of)
	p.tables = append(p.tables, out)
	for _, m := range items(t["measures"]) {
		if m["create_metric"] == true {
			p.add(object{"name": m["name"], "label": m["label"], "description": m["description"], "type": "simple"},
				object{"measure": object{"name": m["name"]}}, nil)
		}
	}
}

// model takes what dbt reads of a model since its version 1.12: a semantic model and
// metrics within it; and a table of days.
func (p *project) model(m object) {
	name := str(m["name"])
	if spine := objectOf(m["time_spine"]); spine != nil {
		column := object{"name": spine["standard_granularity_column"]}
		for _, c := range items(m["columns"]) {
			if c["name"] == column["name"] {
				column["time_granularity"] = c["granularity"]
			}
		}
		p.spines = append(p.spines, object{"node_relation": p.relation(name), "primary_column": column, "custom_granularities": spine["custom_granularities"]})
	}
	own := objectOf(m["semantic_model"])
	if own == nil && m["semantic_model"] != true || off(object{"config": own}) {
		return
	}
	if n := str(own["name"]); n != "" {
		name = n
	}
	if err := cmp.Or(known(own, "name enabled group config"), columnsKnown(m)); err != nil {
		p.refuse("semantic model", name, err)
		return
	}
	entities, dimensions := []any{}, []any{}
	for _, c := range items(m["columns"]) {
		if e := part(c, "entity"); e != nil {
			entities = append(entities, e)
		}
		if d := part(c, "dimension"); d != nil {
			d["type_params"] = object{"time_granularity": c["granularity"], "validity_params": d["validity_params"]}
			dimensions = append(dimensions, d)
		}
	}
	derived := objectOf(m["derived_semantics"])
	for _, d := range items(derived["dimensions"]) {
		d["type_params"] = object{"time_granularity": d["granularity"], "validity_params": d["validity_params"]}
		dimensions = append(dimensions, d)
	}
	for _, e := range items(derived["entities"]) {
		entities = append(entities, e)
	}
	p.tables = append(p.tables, rewritten(object{"name": name, "description": m["description"], "node_relation": p.relation(str(m["name"])),
		"defaults": object{"agg_time_dimension": m["agg_time_dimension"]}, "primary_entity": m["primary_entity"], "entities": entities,
		"dimensions": dimensions}).(object))
	for _, v := range items(m["metrics"]) {
		p.metric(name, v)
	}
}

// part is the entity or dimension that a column is: a type, or more.
func part(column object, key string) object {
	out := object{"name": column["name"], "expr": column["name"], "description": column["description"], "type": column[key]}
	if column[key] == nil {
		return nil
	}
	for k, v := range objectOf(column[key]) {
		out[k] = v
	}
	return out
}

// metric takes a metric: with type_params, or as dbt reads it since its version 1.12.
func (p *project) metric(table string, m object) {
	if off(m) {
		return
	}
	if m["type_params"] != nil {
		p.add(m, objectOf(rewritten(m["type_params"])), cmp.Or(inputsKnown(objectOf(m["type_params"])),
			known(m, "name type label description filter time_granularity config type_params meta tags")))
		return
	}
	err := known(m, `name type label description filter time_granularity config hidden agg percentile percentile_type join_to_timespine
		fill_nulls_with expr non_additive_dimension agg_time_dimension window grain_to_date period_agg input_metric numerator denominator
		input_metrics`)
	err = cmp.Or(err, inputsKnown(m))
	params := object{"is_private": m["hidden"], "expr": m["expr"], "join_to_timespine": m["join_to_timespine"], "fill_nulls_with": m["fill_nulls_with"],
		"numerator": m["numerator"], "denominator": m["denominator"], "metrics": m["input_metrics"]}
	if m["agg"] != nil {
		var one any
		if o := objectOf(m["non_additive_dimension"]); o != nil {
			one = object{"name": o["name"], "window_choice": o["window_agg"], "window_groupings": o["group_by"]}
		}
		how := strings.ToLower(str(m["percentile_type"]))
		params["metric_aggregation_params"] = object{"semantic_model": table, "agg": m["agg"], "agg_time_dimension": m["agg_time_dimension"],
			"agg_params":             object{"percentile": m["percentile"], "use_discrete_percentile": how == "discrete", "use_approximate_percentile": how == "continuous"},
			"non_additive_dimension": one}
	}
	if m["type"] == "cumulative" {
		params["cumulative_type_params"] = object{"metric": m["input_metric"], "window": m["window"], "grain_to_date": m["grain_to_date"],
			"period_agg": m["period_agg"]}
	}
	p.add(m, objectOf(rewritten(params)), err)
}

func (p *project) add(m, params object, err error) {
	out := object{"name": m["name"], "label": m["label"], "description": m["description"], "type": m["type"], "type_params": params, "place": p.file}
	for key, value := range map[string]any{"type": "simple", "label": m["name"]} {
		if out[key] == nil {
			out[key] = value
		}
	}
	if err != nil {
		out["unclear"] = err.Error()
	}
	if m["filter"] != nil {
		out["filter"] = rewritten(object{"filter": m["filter"]}).(object)["filter"]
	}
	p.metrics = append(p.metrics, out)
}
