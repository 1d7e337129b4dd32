package metric

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Joins gathers by which columns tables can be joined: what foreign keys and a semantic
// model say, and what names and types suggest.
type Joins struct{ All []api.Join }

// Joinable is a table in which joins are looked for. Of is the table of the catalog that
// its rows are of.
type Joinable struct {
	Name, Of string
	Columns  []api.Column
}

// JoinsAmong returns the joins between tables with these schemas.
func JoinsAmong(schemas []*api.TableSchema, m *api.SemanticModel) []api.Join {
	f := &Joins{}
	var tables []Joinable
	for _, s := range schemas {
		tables = append(tables, Joinable{s.TableID, s.TableID, s.Columns})
		f.Keys(s.TableID, s.ForeignKeys)
	}
	f.Model(m)
	for i, t := range tables {
		for _, other := range tables[i+1:] {
			f.Names(t, other)
		}
	}
	has := func(id string) bool {
		return slices.ContainsFunc(tables, func(t Joinable) bool { return t.Name == id })
	}
	return slices.DeleteFunc(f.All, func(j api.Join) bool { return !has(j.Table) || !has(j.To) })
}

// Keys adds the joins over foreign keys of a table.
func (f *Joins) Keys(table string, keys []api.ForeignKey) {
	for _, k := range keys {
		f.Add(api.Join{Table: table, Column: k.Column, To: k.Table, ToColumn: k.ToColumn, More: k.More, Multiplicity: api.ManyToOne,
			KnownFrom: api.JoinFromKey})
	}
}

// Model adds the joins over entities of the semantic model that are columns or texts of
// several columns, and those that tests hold.
func (f *Joins) Model(m *api.SemanticModel) {
	for _, t := range m.Tables {
		for _, e := range t.Entities {
			for _, far := range m.Tables {
				for _, o := range far.Entities {
					if t.TableID == "" || far.TableID == "" || t.TableID == far.TableID || o.Name != e.Name || !o.One ||
						e.One && t.TableID > far.TableID {
						continue
					}
					own, form := entityKey(e)
					to, other := entityKey(o)
					if len(own) == 0 || form != other {
						continue
					}
					j := api.Join{Table: t.TableID, To: far.TableID, Column: own[0], ToColumn: to[0], Multiplicity: api.ManyToOne,
						KnownFrom: api.JoinFromModel}
					for i := range own[1:] {
						j.More = append(j.More, api.ColumnPair{Column: own[i+1], ToColumn: to[i+1]})
					}
					if e.One {
						j.Multiplicity = api.OneToOne
					}
					f.Add(j)
				}
			}
		}
	}
	for _, j := range m.Joins {
		f.Add(j)
	}
}

// keyText matches an expression that is a column, or a text of several: a || '-' || b, or
// concat(a, b), also with casts. keyColumn matches its columns.
var (
	keyText   = lazyregexp.New(`(?i)^(?:concat\s*\(\s*)?` + keyPart + `(?:\s*(?:\|\||,)\s*` + keyPart + `)*\s*\)?$`)
	keyColumn = lazyregexp.New(`(?i)` + keyPart)
)

const (
	keyPart = `(?:(?:cast\s*\(\s*)?("[^"]+"|[\pL_][\pL\pN_]*)(?:\s+as\s+` + textType + `\s*\))?(?:::` + textType + `)?|('[^']*'))`
	// textType are the types of casts that do not change which values are equal.
	textType = `(?:varchar|text|string)\b`
)

// entityKey returns the columns of an entity's key, and the form of the key: its expression with
// ? for columns. Two keys can be equal only if their forms are. It returns nil if the key is computed in another way.
func entityKey(e api.Entity) (columns []string, form string) {
	for _, expr := range append([]string{e.Expr}, e.More...) {
		if expr = strings.TrimSpace(expr); !keyText().MatchString(expr) {
			return nil, ""
		}
		inner := expr
		if i := strings.IndexByte(expr, '('); i >= 0 && strings.EqualFold(strings.TrimSpace(expr[:i]), "concat") {
			inner = expr[i+1:]
		}
		for _, part := range keyColumn().FindAllStringSubmatch(inner, -1) {
			if part[1] == "" {
				form += part[2]
				continue
			}
			columns, form = append(columns, strings.Trim(part[1], `"`)), form+"?"
		}
		form += ","
	}
	return columns, form
}

// Add adds a join that is not there yet, in either direction. What names suggest is not
// added if it is a part of a join by several columns.
func (f *Joins) Add(j api.Join) {
	within := func(table, to string, pairs []api.ColumnPair) bool {
		return table == j.Table && to == j.To && (j.KnownFrom == api.JoinFromNames || len(pairs) == len(j.More)+1) &&
			!slices.ContainsFunc(j.Pairs(), func(p api.ColumnPair) bool { return !slices.Contains(pairs, p) })
	}
	if !slices.ContainsFunc(f.All, func(o api.Join) bool {
		pairs := o.Pairs()
		if within(o.Table, o.To, pairs) {
			return true
		}
		for i, p := range pairs {
			pairs[i] = api.ColumnPair{Column: p.ToColumn, ToColumn: p.Column}
		}
		return within(o.To, o.Table, pairs)
	}) {
		f.All = append(f.All, j)
	}
}

// Shared are the pairs of columns of two tables that have one name, and types that can
// be equal: what may complete a key of several columns.
func Shared(a, b Joinable) (pairs []api.ColumnPair) {
	for _, x := range a.Columns {
		for _, y := range b.Columns {
			date := strings.HasPrefix(strings.ToUpper(x.Type), "DATE") && x.Type == y.Type
			if strings.EqualFold(x.Name, y.Name) && (date || kindOf(x.Type) != "" && kindOf(x.Type) == kindOf(y.Type)) {
				pairs = append(pairs, api.ColumnPair{Column: x.Name, ToColumn: y.Name})
			}
		}
	}
	return pairs
}

// Names adds what names and types of two tables suggest.
func (f *Joins) Names(a, b Joinable) {
	for i, x := range a.Columns {
		for k, y := range b.Columns {
			if kindOf(x.Type) == "" || kindOf(x.Type) != kindOf(y.Type) {
				continue
			}
			one, other := strings.ToLower(x.Name), strings.ToLower(y.Name)
			switch {
			case refers(one, b.Of, other):
				f.Add(api.Join{Table: a.Name, Column: x.Name, To: b.Name, ToColumn: y.Name, KnownFrom: api.JoinFromNames})
			case refers(other, a.Of, one):
				f.Add(api.Join{Table: b.Name, Column: y.Name, To: a.Name, ToColumn: x.Name, KnownFrom: api.JoinFromNames})
			case one == other && isKey(one):
				j := api.Join{Table: a.Name, Column: x.Name, To: b.Name, ToColumn: y.Name, KnownFrom: api.JoinFromNames}
				if names(one, a.Of) && !names(one, b.Of) { // customer_id is of customers
					j = turned(j)
				}
				f.Add(j)
			case one == other && (i == 0) != (k == 0) && kindOf(x.Type) == "text" && !slices.Contains(generic, one):
				j := api.Join{Table: a.Name, Column: x.Name, To: b.Name, ToColumn: y.Name, KnownFrom: api.JoinFromNames}
				if i == 0 { // the key is what most tables begin with
					j = turned(j)
				}
				f.Add(j)
			}
		}
	}
}

// turned returns a join of one column from its other end.
func turned(j api.Join) api.Join {
	j.Table, j.Column, j.To, j.ToColumn = j.To, j.ToColumn, j.Table, j.Column
	return j
}

// generic are names of columns that many tables have, and mean something else in each.
var generic = []string{"name", "title", "type", "status", "description", "comment", "label", "value", "date"}

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
