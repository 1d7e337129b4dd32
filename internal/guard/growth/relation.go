package growth

import "maps"

// Relation bounds a query, or one item of a FROM clause.
type Relation struct {
	Nodes   int64 // parts of its plan, with every name written out
	Width   int64 // columns
	All     Size  // all columns together
	Any     Size  // the largest column
	unnamed Size  // the largest column with an unknown name
	columns map[string]Size
	parts   map[string]*Relation // by their names in the statement
}

// Table returns a table with unknown columns.
func Table() *Relation {
	return &Relation{Nodes: 1, Width: TableWidth, All: Column.Times(TableWidth), Any: Column, unnamed: Column}
}

// Define adds a column; name is empty if unknown.
func (r *Relation) Define(name string, s Size) {
	r.Width = Sum(r.Width, 1)
	r.All = r.All.Plus(s)
	r.Any = r.Any.Max(s)
	if name == "" {
		r.unnamed = r.unnamed.Max(s)
		return
	}
	r.call(name, s)
}

func (r *Relation) call(name string, s Size) {
	if r.columns == nil {
		r.columns = map[string]Size{}
	}
	r.columns[name] = r.columns[name].Max(s)
}

// Add adds all columns of another relation under their names. The nodes of its
// plan are left to the caller.
func (r *Relation) Add(from *Relation) {
	r.Width = Sum(r.Width, from.Width)
	r.All = r.All.Plus(from.All)
	r.Any = r.Any.Max(from.Any)
	r.unnamed = r.unnamed.Max(from.unnamed)
	for name, s := range from.columns {
		r.call(name, s)
	}
}

// Join adds all columns of another relation, which can also be qualified with
// the names of its parts. The nodes of its plan are left to the caller.
func (r *Relation) Join(other *Relation) {
	r.Add(other)
	for name, part := range other.parts {
		r.part(name, part)
	}
}

func (r *Relation) part(name string, part *Relation) {
	if r.parts == nil {
		r.parts = map[string]*Relation{}
	}
	if had := r.parts[name]; had != nil { // which of the two is meant is not known
		part = had.Union(part)
	}
	r.parts[name] = part
}

// Has reports whether a column is known to be of a name.
func (r *Relation) Has(name string) bool { _, ok := r.columns[name]; return ok }

// Round is the part of its own result that a recursive query reads, if each of its columns has a
// text of some bytes. Its columns are those of r, the part that comes first.
func (r *Relation) Round(text int64, columns []string) *Relation {
	to, s := &Relation{Nodes: 1}, Size{1, text}
	for _, name := range columns {
		to.Define(name, s)
	}
	if len(columns) > 0 {
		return to
	}
	for name := range r.columns {
		to.Define(name, s)
	}
	if r.unnamed.Nodes > 0 {
		to.Define("", s)
	}
	return to
}

// Renamed is the relation under a name, which stands for whole rows, too, and
// with other names for its columns if any are given.
func (r *Relation) Renamed(name string, columns []string) *Relation {
	to := r.alone()
	if len(columns) > 0 {
		to.unnamed = r.Any
	}
	for _, column := range columns {
		to.call(column, r.Any)
	}
	if name != "" {
		to.part(name, to.alone())
		to.call(name, r.All)
	}
	return to
}

// alone is the relation without the names of its parts.
func (r *Relation) alone() *Relation {
	return &Relation{Nodes: r.Nodes, Width: r.Width, All: r.All, Any: r.Any, unnamed: r.unnamed, columns: maps.Clone(r.columns)}
}

// Union bounds both, column by column.
func (r *Relation) Union(other *Relation) *Relation {
	to := r.alone()
	to.Nodes = Sum(r.Nodes, other.Nodes)
	to.Width = max(r.Width, other.Width)
	to.All, to.Any, to.unnamed = r.All.Max(other.All), r.Any.Max(other.Any), r.Any.Max(other.Any)
	for name := range to.columns { // columns are matched by their places
		to.call(name, other.Any)
	}
	for name, s := range other.columns {
		to.call(name, s)
	}
	return to
}

// Scope is what the names in an expression may stand for, the innermost first.
type Scope struct {
	From  *Relation
	Outer *Scope
}

// Place is where a part of a statement is: the queries that WITH has defined
// there, by name, and the columns around it.
type Place struct {
	With  map[string]*Relation
	Scope *Scope
}

// In returns the place with the columns of r in front.
func (p Place) In(r *Relation) Place {
	p.Scope = &Scope{From: r, Outer: p.Scope}
	return p
}

// FindIn bounds what a name stands for that is qualified with another.
func (s *Scope) FindIn(qualifier, name string) Size {
	for sc := s; sc != nil; sc = sc.Outer {
		if part := sc.From.parts[qualifier]; part != nil {
			return Column.Max(part.unnamed).Max(part.columns[name])
		}
	}
	return s.Find(qualifier).Max(s.Find(name))
}

// Find bounds what a name stands for, whichever of the scopes has it.
func (s *Scope) Find(name string) Size {
	found := Column
	for ; s != nil; s = s.Outer {
		found = found.Max(s.From.unnamed).Max(s.From.columns[name])
	}
	return found
}
