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
)

// Where a join is known from.
const (
	FromKey   = "foreign key" // of the database
	FromModel = "model"       // of the instance
	FromNames = "names"       // of columns and tables, and their types: a guess
)

// How many rows of the first table can have the same row of the second, and the other
// way round.
const (
	ManyToOne  = "many-to-one"
	OneToOne   = "one-to-one"
	OneToMany  = "one-to-many"
	ManyToMany = "many-to-many"
)

// Join is a pair of columns by which two tables can be joined.
type Join struct {
	Table    string `json:"table"`
	Column   string `json:"column"`
	To       string `json:"to"`
	ToColumn string `json:"to_column"`
	// Multiplicity is one of the constants; empty: unknown.
	Multiplicity string `json:"multiplicity,omitempty" jsonschema:"many-to-one, one-to-one, one-to-many or many-to-many"`
	KnownFrom    string `json:"known_from" jsonschema:"foreign key, model or names"`
	// ScanBytes is what Verify would read, once it is estimated; nil: unknown.
	ScanBytes *int64    `json:"estimated_scan_bytes,omitempty"`
	Verified  *Verified `json:"verified,omitempty"`

	local bool // the rows of both tables are here
}

// Found are the joins that are known.
type Found struct {
	Joins   []Join       `json:"joins"`   // never null
	Caveats []api.Caveat `json:"caveats"` // never null
}

// table is what joins are looked for in.
type table struct {
	name, of string // of is the table of the catalog that its rows are of
	columns  []api.Column
}

// maxTables is of how many tables of a catalog the columns are looked at.
const maxTables = 200

// List returns the joins of the tables of the catalog and of the snapshots here, or
// only those of one of them.
func List(ctx context.Context, a *analyst.Analyst, of string) (*Found, error) {
	out := &Found{Joins: []Join{}, Caveats: []api.Caveat{}}
	tables, err := here(a)
	if err != nil {
		return nil, err
	}
	snapshots := len(tables)
	if remote, err := a.Connect(); err == nil { // without a server only snapshots are looked at
		var more []table
		if more, err = out.cataloged(ctx, remote, tables); err == nil {
			tables = append(tables, more...)
			var m *api.SemanticModel
			if m, err = remote.SemanticModel(ctx); err == nil {
				out.modelled(m)
			}
		}
		switch {
		case err != nil && (len(tables) == 0 || ctx.Err() != nil):
			return nil, err
		case err != nil:
			out.Caveats = append(out.Caveats, api.NewCaveat(api.CaveatUnread, "only the snapshots here are looked at: %s", err.Error()))
		}
	}
	if of != "" && !slices.ContainsFunc(tables, func(t table) bool { return t.name == of }) {
		return nil, &api.Error{Code: api.CodeUnknownTable, Message: "there is no table or snapshot '" + api.Clip(of, 80) + "'",
			Next: []api.Step{api.Do(api.ActionCatalog, "see the tables")}}
	}
	for i, t := range tables {
		for _, other := range tables[i+1:] {
			if t.of != other.of {
				out.named(t, other)
			}
		}
	}
	if of != "" {
		out.Joins = slices.DeleteFunc(out.Joins, func(j Join) bool { return j.Table != of && j.To != of })
	}
	isHere := func(name string) bool {
		return slices.ContainsFunc(tables[:snapshots], func(t table) bool { return t.name == name })
	}
	for i := range out.Joins {
		j := &out.Joins[i]
		j.local = isHere(j.Table) && isHere(j.To)
	}
	slices.SortStableFunc(out.Joins, func(a, b Join) int { return strings.Compare(a.Table+"\x00"+a.Column, b.Table+"\x00"+b.Column) })
	return out, nil
}

// here are the snapshots.
func here(a *analyst.Analyst) (tables []table, err error) {
	list, err := keep.List(a)
	if err != nil {
		return nil, err
	}
	for _, m := range list.Whole {
		t := table{name: m.Name, of: m.TableID}
		for _, c := range m.Schema {
			t.columns = append(t.columns, api.Column{Name: c.Name, Type: c.Type})
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// cataloged are the tables of the catalog whose names no snapshot has. It adds the joins
// over foreign keys of all.
func (f *Found) cataloged(ctx context.Context, remote analyst.Remote, known []table) (tables []table, err error) {
	list, err := remote.Tables(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range list.Tables {
		hidden := slices.ContainsFunc(known, func(k table) bool { return k.name == t.ID })
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
		for _, k := range schema.ForeignKeys {
			f.add(Join{Table: t.ID, Column: k.Column, To: k.Table, ToColumn: k.ToColumn, Multiplicity: ManyToOne, KnownFrom: FromKey})
		}
		if hidden {
			continue
		}
		tables = append(tables, table{name: t.ID, of: t.ID, columns: schema.Columns})
	}
	return tables, nil
}

// modelled adds the joins over entities of the semantic model that are plain columns.
func (f *Found) modelled(m *api.SemanticModel) {
	for _, t := range m.Tables {
		for _, e := range t.Entities {
			for _, other := range m.Tables {
				for _, o := range other.Entities {
					if t.TableID == "" || other.TableID == "" || t.TableID == other.TableID || o.Name != e.Name || !o.One || e.One &&
						t.TableID > other.TableID {
						continue
					}
					j := Join{Table: t.TableID, Column: e.Expr, To: other.TableID, ToColumn: o.Expr, Multiplicity: ManyToOne, KnownFrom: FromModel}
					if e.One {
						j.Multiplicity = OneToOne
					}
					f.add(j)
				}
			}
		}
	}
}

// add adds a join that is not there yet, in either direction.
func (f *Found) add(j Join) {
	if !slices.ContainsFunc(f.Joins, func(o Join) bool {
		return o.Table == j.Table && o.Column == j.Column && o.To == j.To && o.ToColumn == j.ToColumn ||
			o.Table == j.To && o.Column == j.ToColumn && o.To == j.Table && o.ToColumn == j.Column
	}) {
		f.Joins = append(f.Joins, j)
	}
}

// Among returns the joins between tables with these schemas: foreign keys, those of a
// semantic model, and what names and types suggest.
func Among(schemas []*api.TableSchema, m *api.SemanticModel) []Join {
	f := &Found{}
	var tables []table
	for _, s := range schemas {
		tables = append(tables, table{name: s.TableID, of: s.TableID, columns: s.Columns})
		for _, k := range s.ForeignKeys {
			f.add(Join{Table: s.TableID, Column: k.Column, To: k.Table, ToColumn: k.ToColumn, Multiplicity: ManyToOne, KnownFrom: FromKey})
		}
	}
	f.modelled(m)
	for i, t := range tables {
		for _, other := range tables[i+1:] {
			f.named(t, other)
		}
	}
	has := func(id string) bool { return slices.ContainsFunc(tables, func(t table) bool { return t.name == id }) }
	return slices.DeleteFunc(f.Joins, func(j Join) bool { return !has(j.Table) || !has(j.To) })
}

// named adds what names and types of two tables suggest.
func (f *Found) named(a, b table) {
	for _, x := range a.columns {
		for _, y := range b.columns {
			if kindOf(x.Type) == "" || kindOf(x.Type) != kindOf(y.Type) {
				continue
			}
			one, other := strings.ToLower(x.Name), strings.ToLower(y.Name)
			switch {
			case refers(one, b.of, other):
				f.add(Join{Table: a.name, Column: x.Name, To: b.name, ToColumn: y.Name, KnownFrom: FromNames})
			case refers(other, a.of, one):
				f.add(Join{Table: b.name, Column: y.Name, To: a.name, ToColumn: x.Name, KnownFrom: FromNames})
			case one == other && isKey(one):
				j := Join{Table: a.name, Column: x.Name, To: b.name, ToColumn: y.Name, KnownFrom: FromNames}
				if names(one, a.of) && !names(one, b.of) { // customer_id is of customers
					j.Table, j.To = j.To, j.Table
				}
				f.add(j)
			}
		}
	}
}

// keys are the last words of names of keys; alone they are of the table itself.
var keys = []string{"id", "key", "code", "number", "no", "nr", "uuid", "sku", "iata", "iso"}

// isKey reports whether a name of two tables is that of one key: not id alone, which
// every table has.
func isKey(name string) bool {
	return slices.ContainsFunc(keys, func(k string) bool {
		return strings.HasSuffix(name, "_"+k) || len(k) > 2 && name == k && k != "key" && k != "number" && k != "code"
	})
}

// refers reports whether a column has the name of a table and of its key: customer_id,
// customerid or customer, and id of customers.
func refers(column, table, key string) bool {
	if !slices.Contains(keys, key) {
		return column == key && oneOf(column, table)
	}
	return oneOf(column, table) || oneOf(strings.TrimSuffix(strings.TrimSuffix(column, key), "_"), table)
}

// names reports whether a column begins with the name of one row of a table.
func names(column, table string) bool {
	return oneOf(column[:max(strings.LastIndexByte(column, '_'), 0)], table)
}

// oneOf reports whether a word names one row of a table: city of cities, order of
// orders, kunde of kunden. Plurals of most languages in Latin script add up to two
// letters.
func oneOf(word, table string) bool {
	t := strings.ToLower(table)
	rest, begins := strings.CutPrefix(t, word)
	return word != "" && (word == t || begins && len(word) > 2 && len(rest) <= 2 || strings.TrimSuffix(word, "y")+"ies" == t)
}

// kindOf is what values of a type can be equal to; empty: types that are no keys.
func kindOf(typ string) string {
	t := strings.ToUpper(typ)
	switch {
	case strings.Contains(t, "INT") && !strings.Contains(t, "INTERVAL") && !strings.ContainsAny(t, "[("), t == "SERIAL", t == "BIGSERIAL":
		return "number"
	case strings.HasPrefix(t, "VARCHAR"), strings.HasPrefix(t, "CHAR"), t == "TEXT", t == "STRING", strings.HasPrefix(t, "NVARCHAR"):
		return "text"
	case t == "UUID":
		return "uuid"
	}
	return ""
}

// Verified is what the rows say of a join.
type Verified struct {
	Rows   int64 `json:"rows" jsonschema:"of the table whose column is not NULL"`
	Values int64 `json:"values" jsonschema:"different ones"`
	// Found is how many of Rows have a row of the other table.
	Found    int64   `json:"found" jsonschema:"rows that have one of the other table"`
	Coverage float64 `json:"coverage" jsonschema:"found of rows, 0 to 1"`
	ToRows   int64   `json:"to_rows"`
	ToValues int64   `json:"to_values"`
}
