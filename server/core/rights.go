package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/search"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/server/mask"
	"github.com/agnes-data/da/source"
)

// view is the catalog at the time of one call, and the part of it that the caller
// can read. Each call reads the state only once.
type view struct {
	session *Session
	*standing
}

// standing is what somebody may read at a version of the state. It is kept for their next
// calls, so nobody changes it.
type standing struct {
	grantsOf string // version
	all      *registered
	tables   map[string]*table
	sorted   []*table               // the same, by id
	grants   map[string][]api.Grant // by table
	reads    []*table               // that can be read at least in part, by id
	looked   search.Looked          // by the search
	facets   func() (types, groups []api.PageFacet)
}

// standingBytes bounds what is kept of users; a grant takes some grantBytes.
const (
	standingBytes = 64 << 20
	grantBytes    = 400
)

// readRights reads the registered tables and the caller's grants.
func (s *Session) readRights(ctx context.Context) (*view, error) {
	// First: what is read after it is of these versions or later ones; in the latter case
	// the next call finds other versions, and reads again.
	versions, err := s.core.state.Versions(ctx)
	if err != nil {
		return nil, internalError("read the versions", err)
	}
	all, err := s.core.tablesAt(ctx, versions.Tables)
	if err != nil {
		return nil, err
	}
	if err := s.requireUser(ctx); err != nil {
		return nil, err
	}
	v := &view{session: s}
	who := "admin"
	if !s.who.Admin {
		who = strconv.FormatInt(s.who.UserID, 10)
	}
	if kept, ok := s.core.standings.Get(who); ok && kept.all == all && kept.grantsOf == versions.Grants {
		v.standing = kept
		return v, nil
	}
	v.standing = &standing{grantsOf: versions.Grants, all: all, tables: all.tables, sorted: all.sorted, grants: map[string][]api.Grant{}}
	var grants []api.Grant
	if !s.who.Admin {
		if grants, err = s.core.state.GrantsOf(ctx, s.who.UserID); err != nil {
			return nil, internalError("read the grants", err)
		}
	}
	for _, g := range grants {
		v.grants[g.TableID] = append(v.grants[g.TableID], g)
	}
	v.reads = only(v.sorted, v.readsPart)
	mine := v.reads
	v.facets = sync.OnceValues(func() (types, groups []api.PageFacet) { return facets(mine, typeOf), facets(mine, groupOf) })
	s.core.standings.Put(who, v.standing, 9*cap(v.reads)+grantBytes*len(grants))
	return v, nil
}

// mine lists the tables that the caller can read at least in part, by id. The list is
// shared: do not change it.
func (v *view) mine() []*table { return v.reads }

// readsPart reports whether the caller can read something of a table.
func (v *view) readsPart(t *table) bool { return v.readsWhole(t) || len(v.grants[t.ID]) > 0 }

// internalError wraps an unexpected error, except one that an operator can fix
// and whose text says how.
func internalError(what string, err error) error {
	var known *api.Error
	if errors.As(err, &known) && known.Kind == api.KindState {
		return err // it says how to fix it
	}
	return &api.Error{Code: api.CodeInternal, Message: "internal error", Err: fmt.Errorf("%s: %w", what, err)}
}

// readsWhole reports whether the caller can read all of a table.
func (v *view) readsWhole(t *table) bool {
	return v.session.who.Admin || t.Public || slices.ContainsFunc(v.grants[t.ID],
		func(g api.Grant) bool { return g.Columns == nil && g.Rows == "" && len(g.Masks) == 0 })
}

// ruled reports whether all of the caller's grants on a table have a row rule. It
// depends on the grants alone, not on the table's contents.
func (v *view) ruled(t *table) bool {
	return !v.readsWhole(t) && !slices.ContainsFunc(v.grants[t.ID], func(g api.Grant) bool { return g.Rows == "" })
}

// permit is the part of a table that the caller can see.
type permit struct {
	*table
	all   bool           // the whole table
	full  *source.Schema // of the whole table; set unless all
	rects []rectangle    // at least one unless all
}

// rectangle is what one grant allows.
type rectangle struct {
	id      int64          // of the grant
	columns []string       // in table order; nil: all
	masks   mask.Set       // of columns among these
	rule    predicate.Expr // nil: all rows
}

// authorise finds a table if the caller can read something of it. It runs before any
// cache is read.
func (v *view) authorise(ctx context.Context, tableID string) (*permit, error) {
	if err := api.CheckName("table id", tableID); err != nil {
		return nil, err
	}
	t, ok := v.tables[tableID]
	switch {
	case ok && v.readsWhole(t):
		return &permit{table: t, all: true}, nil
	case ok && len(v.grants[tableID]) > 0:
		return v.restricted(ctx, t)
	case v.session.who.Admin:
		return nil, v.unknownTable(tableID)
	}
	return nil, forbidden(tableID)
}

// forbidden is the answer for tables that the caller cannot read, whether they
// exist or not.
func forbidden(tableID string) error {
	return &api.Error{
		Code:    api.CodeForbidden,
		Message: "no access to table '" + tableID + "'",
		Next:    []api.Step{api.Do(api.ActionCatalog, "see the tables that you may read")},
		Details: map[string]any{"table_id": tableID},
	}
}

// restricted checks the grants against the table's current schema.
func (v *view) restricted(ctx context.Context, t *table) (*permit, error) {
	part := *t
	part.partial = true
	full, err := v.session.core.schema(ctx, &part, t.unrestricted())
	if err != nil {
		return nil, err
	}
	return v.granted(&part, full)
}

// granted returns what the grants allow of a table. A grant whose rule does not
// fit the schema allows nothing.
func (v *view) granted(t *table, full *source.Schema) (*permit, error) {
	c := v.session.core
	p := &permit{table: t, full: full}
	for _, g := range v.grants[t.ID] {
		r, err := c.rectangle(t, full, g)
		if err != nil {
			c.log.Error("a grant does not fit its table", "grant", g.ID, "table", t.ID)
			continue
		}
		if r.columns == nil || len(r.columns) > 0 {
			p.rects = append(p.rects, r)
		}
	}
	if len(p.rects) == 0 {
		return nil, forbidden(t.ID)
	}
	return p, nil
}

// rectangle parses a grant. Its rule can use columns that the grant does not
// include.
func (c *Core) rectangle(t *table, full *source.Schema, g api.Grant) (rectangle, error) {
	r := rectangle{id: g.ID}
	if g.Columns != nil {
		r.columns = []string{}
		for _, col := range full.Columns {
			if slices.Contains(g.Columns, col.Name) {
				r.columns = append(r.columns, col.Name)
			}
		}
		// A grant that lists every column does not include pseudo-columns.
		if len(r.columns) == len(full.Columns) && len(full.Pseudo) == 0 {
			r.columns = nil
		}
	}
	var err error
	if r.masks, err = t.masksOf(full, g.Masks); err != nil || g.Rows == "" {
		return r, err
	}
	typed, err := t.typed(full)
	if err != nil {
		return r, err
	}
	r.rule, err = predicate.Parse(t.source.Dialect(), g.Rows, typed)
	return r, err
}

// typed returns the schema for checking predicates on the table.
func (t *table) typed(sc *source.Schema) (*predicate.Schema, error) {
	s, err := predicate.NewSchema(t.source.Dialect(), sc.Columns)
	if err != nil {
		return nil, err
	}
	return s.WithPseudoColumns(sc.Pseudo).Named(t.ID), nil
}

// holds reports whether the rectangle includes all of the columns.
func (r rectangle) holds(columns []string) bool {
	if r.columns == nil {
		return true
	}
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(r.columns, c) })
}

// columns lists the columns that the caller can see, in table order; nil: all.
func (p *permit) columns() []string {
	if p.all {
		return nil
	}
	names := []string{}
	for _, col := range p.full.Columns {
		if slices.ContainsFunc(p.rects, func(r rectangle) bool { return r.holds([]string{col.Name}) }) {
			names = append(names, col.Name)
		}
	}
	if len(names) == len(p.full.Columns) && (len(p.full.Pseudo) == 0 ||
		slices.ContainsFunc(p.rects, func(r rectangle) bool { return r.columns == nil })) {
		return nil
	}
	return names
}

// part returns the part of the table for a request that selects some columns and
// computes with others: the rows of any grant that includes them all, and what is
// masked of it. ok is false if there is no such grant.
func (p *permit) part(selected, tested []string) (rel source.Relation, ok bool) {
	rel = source.Relation{Name: p.Relation, Columns: p.columns(), Reading: p.reading()}
	if p.all {
		return rel, true
	}
	rects := p.covering(selected, tested)
	rel.Rule = ruleOf(rects)
	if p.masking() {
		rel.Masks = p.masksOfAll(p.full.Columns)
		for _, c := range slices.Concat(selected, tested) { // what is tested is shown by all of rects
			delete(rel.Masks, c)
		}
		maps.Copy(rel.Masks, maskedBy(rects, selected))
	}
	return rel, len(rects) > 0
}

// ruleOf returns the rule for the rows of any of the grants; nil: all rows.
func ruleOf(rects []rectangle) predicate.Expr {
	var terms []predicate.Expr
	seen := map[string]bool{}
	for _, r := range rects {
		if r.rule == nil {
			return nil
		}
		if key := predicate.Normalize(r.rule); !seen[key] {
			seen[key] = true
			terms = append(terms, r.rule)
		}
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return &predicate.Logic{Op: predicate.OpOr, Terms: terms}
}

// relation is the table as the caller can see it, for requests that name no
// column: all visible columns, and the rows of all grants together.
func (p *permit) relation() source.Relation {
	rel, _ := p.part(nil, nil)
	return rel
}

// widest is the largest set of columns that can be read together.
func (p *permit) widest() source.Relation {
	if p.all {
		return p.unrestricted()
	}
	best := p.rects[0]
	for _, r := range p.rects[1:] {
		more := best.columns != nil && (r.columns == nil || len(r.columns) > len(best.columns))
		clearer := len(r.masks) < len(best.masks) && (r.columns == nil) == (best.columns == nil) && len(r.columns) == len(best.columns)
		if more || clearer {
			best = r
		}
	}
	named := best.columns
	if named == nil {
		named = columnNames(p.full.Columns)
	}
	rel, _ := p.part(named, nil)
	rel.Columns = best.columns
	return rel
}

func columnNames(cols []api.Column) []string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return names
}

// notTogether is the error for columns that the caller can read, but not
// together.
func (p *permit) notTogether(named []string) error {
	column := named[0]
	for i, name := range named {
		if _, ok := p.part(named[:i+1], nil); !ok {
			column = name
			break
		}
	}
	var sets []string
	for _, r := range p.rects {
		if r.holds([]string{column}) {
			sets = append(sets, strings.Join(r.columns, ","))
		}
	}
	return &api.Error{Code: api.CodeRejected, Kind: api.KindUnknownColumn,
		Message: fmt.Sprintf("there is no column '%s' beside the other columns of this request", column),
		Hint:    "You may read these columns of the table together: " + strings.Join(sets, "; or ") + ".",
		Details: map[string]any{"column": column, "together": sets}}
}

// withColumnsStep adds the step of listing the columns to an error about an
// unknown one.
func withColumnsStep(err error, id string) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindUnknownColumn && e.Kind != api.KindUnknownField {
		return err
	}
	more := *e
	more.Next = append(slices.Clone(e.Next), api.Do(api.ActionSchema, "see the columns", "table_id", id))
	return &more
}

func (v *view) unknownTable(id string) error {
	var ids []string
	for _, t := range v.mine() {
		ids = append(ids, t.ID)
	}
	e := &api.Error{Code: api.CodeUnknownTable, Message: fmt.Sprintf("unknown table '%s'", id),
		Next: []api.Step{api.Do(api.ActionCatalog, "see the tables")}, Details: map[string]any{"table_id": id}}
	if near := suggest.Near(id, ids); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean '%s'?", strings.Join(near, "' or '"))
		e.Details["suggestions"] = near
	}
	return e
}
