package metric

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Time is the name of the time of any metric.
const Time = "metric_time"

// grains are the lengths of time that are understood, the shortest first.
var grains = strings.Fields("second minute hour day week month quarter year")

// hop is a join to a table in which no two rows have the same key, so that it
// repeats nothing.
type hop struct {
	from []string // expressions of the key in the table before
	to   *api.SemanticTable
	key  []string // its expressions there
}

// reached is a dimension or entity as it is reached from a table.
type reached struct {
	name        string // the entities of the way, and its own
	description string
	way         []hop // empty: of the table itself
	expr, grain string
	ofMetric    bool // the time of the metric
}

// from lists what the rows of a table can be grouped by, in the order of the model;
// time is the dimension of the table that is the metric's time.
func (c *compiler) from(t *api.SemanticTable, time string) []reached {
	var all []reached
	for _, d := range t.Dimensions {
		r := reached{name: join(t.Key, d.Name), description: d.Description, expr: d.Expr, grain: d.Grain, ofMetric: d.Name == time &&
			d.Grain != ""}
		if r.ofMetric {
			all = append(all, reached{name: Time, description: d.Description, expr: d.Expr, grain: d.Grain, ofMetric: true})
		}
		all = append(all, r)
	}
	for _, e := range t.Entities {
		if len(e.More) == 0 {
			all = append(all, reached{name: e.Name, expr: e.Expr})
		}
	}
	return append(all, c.through(t, "", nil)...)
}

// mostHops is how many joins may lead to a dimension.
const mostHops = 2

// through lists the dimensions of the tables that t's entities lead to.
func (c *compiler) through(t *api.SemanticTable, prefix string, way []hop) []reached {
	var all []reached
	if len(way) == mostHops {
		return nil
	}
	for _, e := range t.Entities {
		if strings.HasSuffix("__"+prefix, "__"+e.Name) { // the one that led here
			continue
		}
		for i := range c.SemanticModel.Tables {
			to := &c.SemanticModel.Tables[i]
			key := slices.IndexFunc(to.Entities, func(k api.Entity) bool { return k.Name == e.Name && k.One && len(k.More) == len(e.More) })
			if key < 0 || to == t || to.TableID == "" || slices.ContainsFunc(way, func(h hop) bool { return h.to == to }) {
				continue
			}
			name, there := join(prefix, e.Name), append(slices.Clone(way), hop{from: keyOf(e), to: to, key: keyOf(to.Entities[key])})
			for _, d := range to.Dimensions {
				all = append(all, reached{name: join(name, d.Name), description: d.Description, way: there, expr: d.Expr, grain: d.Grain})
			}
			all = append(all, c.through(to, name, there)...)
		}
	}
	return all
}

func keyOf(e api.Entity) []string { return append([]string{e.Expr}, e.More...) }

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "__" + b
}

// item is a dimension of a request, with its grain.
type item struct {
	reached
	column string // its name in the result
	at     string // the grain; empty: not a time
	own    string // the column of the spine that has the writer's own grain
}

func namesOf(items []item) []string {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.column
	}
	return names
}

// item finds a dimension by what it is called: its whole name, or the last parts of
// it where only one has them.
func (b *branch) item(word string) (item, error) {
	grain := ""
	found := b.named(word)
	if at := strings.LastIndex(word, "__"); len(found) == 0 && at >= 0 && b.c.isGrain(word[at+2:]) {
		grain = word[at+2:]
		found = slices.DeleteFunc(b.named(word[:at]), func(r reached) bool { return r.grain == "" })
	}
	if b.c.isGrain(word) {
		grain = word
		found = append(found, b.named(Time)...)
	}
	switch {
	case len(found) == 0:
		return item{}, b.unknown(word)
	case len(found) > 1:
		var names []string
		for _, r := range found {
			names = append(names, r.name)
		}
		return item{}, &api.Error{Code: api.CodeUsage, Kind: api.KindUnknownDimension,
			Message: fmt.Sprintf("'%s' may be %s", api.Clip(word, 80), strings.Join(names, " or ")), Hint: "Write the whole name."}
	}
	it := item{reached: found[0], column: found[0].name, at: grain}
	if it.grain == "" {
		return it, nil
	}
	if it.at == "" {
		it.at = it.grain
	}
	it.column = join(it.name, it.at)
	if s := b.c.Spine; s != nil && s.Grains[it.at] != "" {
		if it.own = s.Grains[it.at]; s.TableID == "" {
			return item{}, refuse(fmt.Sprintf("the grain %s needs the table %s, which the catalog lacks", it.at, s.Relation), "")
		}
		return it, nil
	}
	if slices.Index(grains, it.at) < slices.Index(grains, it.grain) {
		return item{}, refuse(fmt.Sprintf("%s is known by the %s, and not by the %s", it.name, it.grain, it.at), "")
	}
	return it, nil
}

func (c *compiler) isGrain(word string) bool {
	return slices.Contains(grains, word) || c.Spine != nil && c.Spine.Grains[word] != ""
}

func (b *branch) named(word string) []reached {
	all := b.reached()
	if i := slices.IndexFunc(all, func(r reached) bool { return r.name == word }); i >= 0 {
		return all[i : i+1 : i+1]
	}
	var found, folded []reached
	for _, r := range all {
		switch low := strings.ToLower(r.name); {
		case strings.HasSuffix(r.name, "__"+word):
			found = append(found, r)
		case strings.HasSuffix("__"+low, "__"+strings.ToLower(word)):
			folded = append(folded, r)
		}
	}
	if len(found) > 0 {
		return found
	}
	return folded
}

// maxNamed is how many dimensions a hint names where none is near.
const maxNamed = 12

func (b *branch) unknown(word string) error {
	var all, names []string
	for _, r := range b.reached() {
		all, names = append(all, r.name), append(names, r.name, r.name[strings.LastIndex("__"+r.name, "__"):])
	}
	hint := meant(word, names)
	if slices.Sort(all); hint == "" && len(all) > 0 {
		all = slices.Compact(all)
		hint = "Its dimensions are " + strings.Join(all[:min(len(all), maxNamed)], ", ")
		if len(all) > maxNamed {
			hint += fmt.Sprintf(" and %d more", len(all)-maxNamed)
		}
		hint += "."
	}
	return &api.Error{Code: api.CodeUsage, Kind: api.KindUnknownDimension,
		Message: fmt.Sprintf("metric '%s' has no dimension '%s'", b.asked, api.Clip(word, 80)),
		Hint:    hint, Next: []api.Step{api.Do(api.ActionMetric, "see its dimensions", "name", []string{b.asked})}}
}

// Offered is a dimension that a metric can be asked by.
type Offered struct {
	Name        string   `json:"name"`
	Grains      []string `json:"grains,omitempty"` // of a time
	Description string   `json:"description,omitempty"`
}

// Schemas tells the columns of tables.
type Schemas interface {
	Schema(ctx context.Context, tableID string) (*api.TableSchema, error)
}

// Dimensions lists by what a metric can be asked: what each of its parts has. Lacking says which
// dimensions are left out, because a table lacks a column; a metric that itself needs such a column
// is refused. A source that does not answer leaves nothing out.
func Dimensions(ctx context.Context, m *api.SemanticModel, name string, of Schemas) (all []Offered, lacking []string, err error) {
	c := &compiler{SemanticModel: m, asked: name}
	if _, err := c.figure(use{metric: name}, 0); err != nil {
		return nil, nil, err
	}
	known := columnsOf{of: of, schemas: map[string]*api.TableSchema{}}
	for i, b := range c.branches {
		if err := known.ofMetric(ctx, b); err != nil {
			return nil, nil, err
		}
		have := map[string]bool{}
		var mine []Offered
		for _, r := range b.reached() {
			if have[r.name] {
				continue
			}
			if lack := known.ofReached(ctx, b.table, r); lack != "" {
				lacking = append(lacking, fmt.Sprintf("dimension %s is left out: %s", r.name, lack))
				continue
			}
			have[r.name] = true
			o := Offered{Name: r.name, Description: r.description}
			if at := slices.Index(grains, r.grain); at >= 0 {
				o.Grains = append(o.Grains, grains[at:]...)
				if m.Spine != nil && m.Spine.TableID != "" {
					o.Grains = append(o.Grains, slices.Sorted(maps.Keys(m.Spine.Grains))...)
				}
			}
			mine = append(mine, o)
		}
		if i == 0 {
			all = mine
		}
		all = slices.DeleteFunc(all, func(o Offered) bool { return !have[o.Name] })
	}
	slices.Sort(lacking)
	return all, slices.Compact(lacking), nil
}
