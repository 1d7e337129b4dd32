// Package joins finds which tables can be joined by which columns: what foreign
// keys and the semantic model say, and what names and types suggest. It verifies them on the rows.
package joins

import (
	"context"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric"
)

// Join says by which columns two tables can be joined.
type Join struct {
	api.Join
	// ScanBytes is what Verify would read, once it is estimated; nil: unknown.
	ScanBytes *int64    `json:"estimated_scan_bytes,omitempty"`
	Verified  *Verified `json:"verified,omitempty"`

	local bool // the rows of both tables are here
}

// Found are the joins that are known.
type Found struct {
	Joins   []Join       `json:"joins"`   // never null
	Caveats []api.Caveat `json:"caveats"` // never null

	tables map[string]metric.Joinable // by name
}

// maxTables is of how many tables of a catalog the columns are looked at.
const maxTables = 200

// List returns the joins of the tables of the catalog and of the snapshots here, or
// only those of one of them.
func List(ctx context.Context, a *analyst.Analyst, of string) (*Found, error) {
	out := &Found{Joins: []Join{}, Caveats: []api.Caveat{}, tables: map[string]metric.Joinable{}}
	known := &metric.Joins{}
	tables, err := here(a)
	if err != nil {
		return nil, err
	}
	snapshots := len(tables)
	if remote, err := a.Connect(); err == nil { // without a server only snapshots are looked at
		var more []metric.Joinable
		if more, err = out.cataloged(ctx, remote, tables, known); err == nil {
			tables = append(tables, more...)
			var m *api.SemanticModel
			if m, err = remote.SemanticModel(ctx); err == nil {
				known.Model(m)
			}
		}
		switch {
		case err != nil && (len(tables) == 0 || ctx.Err() != nil):
			return nil, err
		case err != nil:
			out.Caveats = append(out.Caveats, api.NewCaveat(api.CaveatUnread, "only the snapshots here are looked at: %s", err.Error()))
		}
	}
	if of != "" && !slices.ContainsFunc(tables, func(t metric.Joinable) bool { return t.Name == of }) {
		return nil, &api.Error{Code: api.CodeUnknownTable, Message: "there is no table or snapshot '" + api.Clip(of, 80) + "'",
			Next: []api.Step{api.Do(api.ActionCatalog, "see the tables")}}
	}
	for i, t := range tables {
		out.tables[t.Name] = t
		for _, other := range tables[i+1:] {
			if t.Of != other.Of {
				known.Names(t, other)
			}
		}
	}
	isHere := func(name string) bool {
		return slices.ContainsFunc(tables[:snapshots], func(t metric.Joinable) bool { return t.Name == name })
	}
	for _, j := range known.All {
		if of == "" || j.Table == of || j.To == of {
			out.Joins = append(out.Joins, Join{Join: j, local: isHere(j.Table) && isHere(j.To)})
		}
	}
	slices.SortStableFunc(out.Joins, func(a, b Join) int { return strings.Compare(a.Table+"\x00"+a.Column, b.Table+"\x00"+b.Column) })
	return out, nil
}

// here are the snapshots.
func here(a *analyst.Analyst) (tables []metric.Joinable, err error) {
	list, err := keep.List(a)
	if err != nil {
		return nil, err
	}
	for _, m := range list.Whole {
		t := metric.Joinable{Name: m.Name, Of: m.TableID}
		for _, c := range m.Schema {
			t.Columns = append(t.Columns, api.Column{Name: c.Name, Type: c.Type})
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// cataloged are the tables of the catalog whose names no snapshot has. It adds the joins
// over foreign keys of all.
func (f *Found) cataloged(ctx context.Context, remote analyst.Remote, snapshots []metric.Joinable, known *metric.Joins,
) (tables []metric.Joinable, err error) {
	list, err := remote.Tables(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range list.Tables {
		hidden := slices.ContainsFunc(snapshots, func(k metric.Joinable) bool { return k.Name == t.ID })
		if len(tables) == maxTables {
			c := api.NewCaveat(api.CaveatUnread, "only the first %d of %d tables are looked at for joins by name", maxTables, len(list.Tables))
			f.Caveats = append(f.Caveats, c)
			break
		}
		schema, err := remote.Schema(ctx, t.ID)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if hidden {
				continue
			}
			f.Caveats = append(f.Caveats, api.Caveat{Kind: api.CaveatUnread, Text: "the columns of '" + t.ID + "' cannot be read: " + err.Error(),
				About: api.Subject{Table: t.ID}})
			continue
		}
		known.Keys(t.ID, schema.ForeignKeys)
		if hidden {
			continue
		}
		tables = append(tables, metric.Joinable{Name: t.ID, Of: t.ID, Columns: schema.Columns})
	}
	return tables, nil
}

// Verified is what the rows say of a join.
type Verified struct {
	Rows   int64 `json:"rows" jsonschema:"of the table whose column is not NULL"`
	Values int64 `json:"values" jsonschema:"different ones"`
	// Found is how many of Rows have a row of the other table.
	Found    int64   `json:"found" jsonschema:"rows that have one of the other table"`
	Coverage float64 `json:"coverage" jsonschema:"found of all rows, also those without a key, 0 to 1"`
	ToRows   int64   `json:"to_rows"`
	ToValues int64   `json:"to_values"`
	// WithoutKey counts the rows whose column is NULL: an inner join loses them.
	WithoutKey int64 `json:"without_key" jsonschema:"rows whose column is NULL"`
}
