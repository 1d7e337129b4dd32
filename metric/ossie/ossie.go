// Package ossie reads semantic models in the core specification of Apache Ossie, in its
// releases 0.1.1 and 0.2.0.dev0. It has the fields of the published schema and no others;
// what it does not understand of a model is said by its name and place.
package ossie

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/guard/strictyaml"
	"github.com/agnes-data/da/metric"
)

// maxBytes is the maximum size of a file.
const maxBytes = 16 << 20

// versions are the releases of the specification that are understood.
var versions = []string{"0.1.1", "0.2.0.dev0"}

// Is reports whether a file seems to have a model in the specification: it is YAML, or it
// is JSON that names one.
func Is(file string) bool {
	if filepath.Ext(file) != ".json" {
		return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file))
	}
	data, err := kernelfs.ReadFile(file, maxBytes)
	return err == nil && bytes.Contains(data, []byte(`"semantic_model"`))
}

// Read reads files, in YAML or JSON, as one model. The error has CodeConfig. Tables have
// the last part of their source as TableID.
func Read(files ...string) (*api.SemanticModel, error) {
	out := &api.SemanticModel{Tables: []api.SemanticTable{}, Metrics: []api.Metric{}}
	for _, file := range files {
		var d document
		data, err := kernelfs.ReadFile(file, maxBytes)
		if err == nil {
			err = strictyaml.Decode(string(data), &d)
		}
		if err == nil {
			err = d.into(out, filepath.Base(file))
		}
		if err != nil {
			return nil, &api.Error{Code: api.CodeConfig, Message: file + ": " + err.Error(), Err: err,
				Hint: "A file has a version, and a semantic_model with datasets, as the core specification of Apache Ossie describes them."}
		}
	}
	return out, nil
}

// into adds the models of a document to what others say.
func (d *document) into(out *api.SemanticModel, file string) error {
	if !slices.Contains(versions, d.Version) {
		return fmt.Errorf("version %q is not understood, but %s", d.Version, strings.Join(versions, " and "))
	}
	for i := range d.Models {
		r := reader{model: &d.Models[i], file: file, out: out, times: map[*dataset]string{}}
		if r.Name == "" || len(r.Datasets) == 0 {
			return fmt.Errorf("semantic_model %d has no name or no datasets", i+1)
		}
		for _, s := range r.Datasets {
			if s.Name == "" || s.Source == "" {
				return fmt.Errorf("semantic model %q: a dataset has no name or no source", r.Name)
			}
			if slices.ContainsFunc(out.Tables, func(t api.SemanticTable) bool { return strings.EqualFold(t.Name, s.Name) }) {
				return fmt.Errorf("semantic model %q: there are two datasets %q", r.Name, s.Name)
			}
			if err := r.table(s); err != nil {
				return fmt.Errorf("dataset %q: %w", s.Name, err)
			}
		}
		for i, rel := range r.Relationships {
			if slices.ContainsFunc(r.Relationships[:i], func(o relationship) bool { return strings.EqualFold(o.Name, rel.Name) }) {
				return fmt.Errorf("semantic model %q: there are two relationships %q", r.Name, rel.Name)
			}
			if err := r.relate(rel); err != nil {
				r.unclear("relationship", rel.Name, err)
			}
		}
		for _, m := range r.Metrics {
			if m.Name == "" || slices.ContainsFunc(out.Metrics, func(o api.Metric) bool { return o.Name == m.Name }) {
				return fmt.Errorf("semantic model %q: there are two metrics %q, or one without name", r.Name, m.Name)
			}
			r.metric(m)
		}
	}
	return nil
}

func (r *reader) unclear(what, name string, err error) {
	r.out.Unclear = append(r.out.Unclear, fmt.Sprintf("%s %q of semantic model %q in %s: %v; it is left out", what, name, r.Name, r.file, err))
}

// table adds a dataset. A field that is not understood is left out of it.
func (r *reader) table(s *dataset) error {
	parts := strings.Split(strings.NewReplacer(`"`, "", "`", "").Replace(s.Source), ".")
	t := api.SemanticTable{Name: s.Name, Description: s.Description, Synonyms: s.synonyms(), Key: s.Name,
		TableID: strings.ToLower(parts[len(parts)-1]), Relation: strings.Join(parts, ".")}
	if strings.ContainsAny(s.Source, " \t\n(") {
		r.unclear("dataset", s.Name, fmt.Errorf("a query as source is not understood"))
		t.TableID, t.Relation = "", "of a query"
	}
	for i, f := range s.Fields {
		if f.Name == "" || slices.ContainsFunc(s.Fields[:i], func(o *field) bool { return strings.EqualFold(o.Name, f.Name) }) {
			return fmt.Errorf("there are two fields %q, or one without name", f.Name)
		}
	}
	var times []string
	for _, f := range s.Fields {
		expr, err := s.value(f)
		if err != nil {
			r.unclear("field", s.Name+"."+f.Name, err)
			continue
		}
		d := api.Dimension{Name: f.Name, Description: cmp.Or(f.Description, f.Label), Synonyms: f.synonyms(), Expr: expr}
		if f.Dimension.IsTime == nil || *f.Dimension.IsTime {
			d.Grain = map[string]string{"Date": "day", "DateTime": "second", "DateTimeTz": "second"}[f.Datatype]
		}
		if d.Grain != "" {
			times = append(times, f.Name)
		}
		t.Dimensions = append(t.Dimensions, d)
	}
	if len(times) == 1 { // more: which is the time of metrics is not said
		r.times[s] = times[0]
	}
	r.out.Tables = append(r.out.Tables, t)
	return nil
}

// relate makes the entity by which two datasets are joined. It is named like the dataset
// that has one row for each value, or like the relationship if several lead there.
func (r *reader) relate(rel relationship) error {
	from, many := r.dataset(rel.From)
	to, one := r.dataset(rel.To)
	switch {
	case from == nil || to == nil:
		return fmt.Errorf("there is no dataset %q or none %q", rel.From, rel.To)
	case from == to:
		return fmt.Errorf("a dataset that is joined to itself is not understood")
	case len(rel.FromColumns) != len(rel.ToColumns) || len(rel.ToColumns) == 0:
		return fmt.Errorf("from_columns and to_columns have not as many columns")
	}
	same := func(key []string) bool {
		return len(key) == len(rel.ToColumns) && !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(rel.ToColumns, c) })
	}
	if keys := append(slices.Clone(to.UniqueKeys), to.PrimaryKey); (len(to.UniqueKeys) > 0 || len(to.PrimaryKey) > 0) &&
		!slices.ContainsFunc(keys, same) {
		return fmt.Errorf("dataset %q has no key of %s", to.Name, strings.Join(rel.ToColumns, ", "))
	}
	e, o := api.Entity{Name: to.Name}, api.Entity{Name: to.Name, One: true}
	for i := range rel.FromColumns {
		e.More, o.More = append(e.More, from.column(rel.FromColumns[i])), append(o.More, to.column(rel.ToColumns[i]))
	}
	e.Expr, e.More, o.Expr, o.More = e.More[0], e.More[1:], o.More[0], o.More[1:]
	several := func(other relationship) bool {
		return other.Name != rel.Name && strings.EqualFold(other.To, rel.To) &&
			(strings.EqualFold(other.From, rel.From) || !slices.Equal(other.ToColumns, rel.ToColumns))
	}
	if slices.ContainsFunc(r.Relationships, several) {
		e.Name, o.Name = rel.Name, rel.Name
	}
	for _, t := range r.out.Tables {
		leads := slices.ContainsFunc(t.Entities, func(e api.Entity) bool { return e.One && e.Name == o.Name })
		if t.Name != to.Name && (t.Name == o.Name || leads) {
			return fmt.Errorf("its name is that of what leads to dataset %q", t.Name)
		}
	}
	many.Entities = append(many.Entities, e)
	if !slices.ContainsFunc(one.Entities, func(have api.Entity) bool { return have.Name == o.Name }) {
		one.Entities = append(one.Entities, o)
	}
	return nil
}

// column is the expression of a field, or else the column of that name.
func (d *dataset) column(name string) string {
	for _, f := range d.Fields {
		if expr, err := d.value(f); strings.EqualFold(f.Name, name) && err == nil {
			return expr
		}
	}
	return metric.Quote(name)
}
