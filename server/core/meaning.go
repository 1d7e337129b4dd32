package core

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/metric/modelfile"
	"github.com/agnes-data/da/source"
)

// meaning is the instance's semantic model. Its files are read again when they have
// changed.
type meaning struct {
	path  string
	mu    sync.Mutex
	stamp string // of the files that were read last
	model *api.SemanticModel
}

// read returns the whole model, which is not to be changed; nil if there is none.
func (m *meaning) read() (*api.SemanticModel, error) {
	if m.path == "" {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	stamp := modelfile.Stamp(m.path)
	if m.model != nil && stamp == m.stamp && stamp != "" {
		return m.model, nil
	}
	model, err := modelfile.Read(m.path)
	if err != nil {
		return nil, err
	}
	m.model, m.stamp = model, stamp
	return model, nil
}

// SemanticModel implements api.Modeler. A caller gets the metrics and dimensions
// whose columns are all readable. Those that are not understood go to admins only,
// since nobody knows which columns they use; so do those for which a table lacks a column.
func (s *Session) SemanticModel(ctx context.Context) (*api.SemanticModel, error) {
	r := s.begin(api.EventCatalog, "")
	m, err := s.semanticModel(ctx)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return m, nil
}

func (s *Session) semanticModel(ctx context.Context) (*api.SemanticModel, error) {
	out := &api.SemanticModel{Tables: []api.SemanticTable{}, Metrics: []api.Metric{}}
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	whole, err := s.core.meaning.read()
	if err != nil && !s.who.Admin { // it names files of the server
		s.core.log.Error("the semantic model cannot be read", "error", err)
		return out, nil
	}
	if whole == nil || err != nil {
		return out, err
	}
	out.Writer = whole.Writer
	if s.who.Admin {
		out.Unclear = whole.Unclear
	}
	hidden := map[string][]string{} // by semantic table: columns that the caller cannot read
	for _, t := range whole.Tables {
		mine, names, err := v.meant(ctx, t)
		if err != nil {
			return nil, err
		}
		if mine != nil {
			hidden[t.Name] = names
			out.Tables = append(out.Tables, *mine)
		}
	}
	if err := v.spine(ctx, whole.Spine, out); err != nil {
		return nil, err
	}
	for _, j := range whole.Joins {
		var own, other []string
		for _, p := range j.Pairs() {
			own, other = append(own, p.Column), append(other, p.ToColumn)
		}
		from, err := v.joined(ctx, &j.Table, own)
		if err != nil {
			return nil, err
		}
		to, err := v.joined(ctx, &j.To, other)
		if err != nil {
			return nil, err
		}
		if from && to && j.Table != j.To {
			out.Joins = append(out.Joins, j)
		}
	}
	for _, m := range whole.Metrics {
		if !metric.Mentions(m.Expr, hidden[m.Table]) {
			out.Metrics = append(out.Metrics, m)
		}
	}
	offered := *out
	out.Metrics = []api.Metric{}
	for _, m := range offered.Metrics {
		if err := metric.Lacks(ctx, &offered, m.Name, knownSchemas{v}); err != nil {
			m.Unclear = err.Error()
		}
		if s.who.Admin || m.Unclear == "" && metric.Check(&offered, m.Name) == nil {
			out.Metrics = append(out.Metrics, m)
		}
	}
	return out, nil
}

// knownSchemas are those that no source of other machines is asked for.
type knownSchemas struct{ v *view }

// Schema implements metric.Schemas; nil: it is not known.
func (k knownSchemas) Schema(ctx context.Context, id string) (*api.TableSchema, error) {
	t, c := k.v.tables[id], k.v.session.core
	if t == nil {
		return nil, nil //nolint:nilnil // documented
	}
	known, ok := c.known.get(knowledgeKey(t))
	if t.ofFiles() {
		schema, err := c.schema(ctx, t, t.unrestricted())
		known, ok = knowledge{schema: schema}, err == nil
	}
	if !ok {
		return nil, nil //nolint:nilnil // documented
	}
	return &api.TableSchema{TableID: id, Columns: known.schema.Columns}, nil
}

// meant returns the part of a semantic table that the caller may know of, and the
// columns that are hidden; nil if that is nothing.
func (v *view) meant(ctx context.Context, t api.SemanticTable) (*api.SemanticTable, []string, error) {
	id := v.named(t.TableID, t.Relation)
	if id == "" {
		t.TableID = ""
		if v.session.who.Admin { // an admin is told what the catalog lacks
			return &t, nil, nil
		}
		return nil, nil, nil
	}
	t.TableID = id
	hidden, ok, err := v.hiddenOf(ctx, id)
	if !ok || err != nil {
		return nil, nil, err
	}
	t.Entities = slices.DeleteFunc(slices.Clone(t.Entities), func(e api.Entity) bool {
		return metric.Mentions(strings.Join(append([]string{e.Expr}, e.More...), ", "), hidden)
	})
	t.Dimensions = slices.DeleteFunc(slices.Clone(t.Dimensions), func(d api.Dimension) bool { return metric.Mentions(d.Expr, hidden) })
	return &t, hidden, nil
}

// joined puts a table's id in place of its relation; it reports whether the caller may
// know of it and of the columns.
func (v *view) joined(ctx context.Context, table *string, columns []string) (bool, error) {
	if *table = v.named(strings.ToLower((*table)[strings.LastIndex(*table, ".")+1:]), *table); *table == "" {
		return false, nil
	}
	hidden, ok, err := v.hiddenOf(ctx, *table)
	return ok && !slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(hidden, c) }), err
}

// spine adds the model's spine if the caller may read its columns.
func (v *view) spine(ctx context.Context, s *api.Spine, out *api.SemanticModel) error {
	if s == nil {
		return nil
	}
	id := v.named(s.TableID, s.Relation)
	if id == "" {
		return nil
	}
	mine := *s
	mine.TableID, mine.Grains = id, map[string]string{}
	hidden, ok, err := v.hiddenOf(ctx, id)
	if !ok || err != nil || metric.Mentions(s.Day, hidden) {
		return err
	}
	for name, column := range s.Grains {
		if !metric.Mentions(column, hidden) {
			mine.Grains[name] = column
		}
	}
	out.Spine = &mine
	return nil
}

// named finds the table of a relation: one that has it at its source, or one whose
// id is the relation's last part. It returns "" if there is none.
func (v *view) named(last, relation string) string {
	found := ""
	for id, t := range v.tables {
		if t.Relation == relation || strings.Contains(t.Relation, ".") && strings.HasSuffix(relation, "."+t.Relation) {
			if found == "" || id < found {
				found = id
			}
		}
	}
	if found == "" && v.tables[last] != nil {
		return last
	}
	return found
}

// foreignKeys returns those of a table's keys that lead to these tables, by columns of
// them which the caller may read, too.
func (v *view) foreignKeys(ctx context.Context, t *table, keys []source.ForeignKey, to []*table) (out []api.ForeignKey, err error) {
	for _, k := range keys {
		for _, other := range to {
			id := other.ID
			if other.source != t.source || !slices.Contains(k.To, strings.ReplaceAll(strings.ReplaceAll(other.Relation, `"`, ""), "`", "")) {
				continue
			}
			hidden, ok, err := v.hiddenOf(ctx, id)
			if err != nil {
				return nil, err
			}
			if ok && !slices.ContainsFunc(k.Pairs, func(p api.ColumnPair) bool { return slices.Contains(hidden, p.ToColumn) }) {
				out = append(out, api.ForeignKey{Column: k.Pairs[0].Column, Table: id, ToColumn: k.Pairs[0].ToColumn, More: k.Pairs[1:]})
			}
		}
	}
	return out, nil
}

// hiddenOf returns the columns of a table that the caller cannot read, or only masked; ok is false
// if that is all of them, or cannot be known.
func (v *view) hiddenOf(ctx context.Context, id string) (hidden []string, ok bool, err error) {
	t := v.tables[id]
	if v.readsWhole(t) {
		return nil, true, nil
	}
	if len(v.grants[id]) == 0 {
		return nil, false, nil
	}
	schema, err := v.session.core.schema(ctx, t, t.unrestricted())
	if err != nil {
		return nil, false, ctx.Err() // the source is away: nothing of it is offered
	}
	for _, col := range schema.Columns {
		if !slices.ContainsFunc(v.grants[id], func(g api.Grant) bool {
			return (g.Columns == nil || slices.Contains(g.Columns, col.Name)) && g.Masks[col.Name] == ""
		}) {
			hidden = append(hidden, col.Name)
		}
	}
	return hidden, len(v.visible(t, schema.Columns)) > 0, nil
}

// MetricStatement returns the statement that a metric of a model becomes.
func MetricStatement(m *api.SemanticModel, name string) (*metric.Compiled, error) {
	compiled, err := metric.Compile(m, metric.Request{Metrics: []string{name}})
	var e *api.Error
	if errors.As(err, &e) {
		e.Code = api.CodeBadRequest
	}
	return compiled, err
}
