package postgres

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/statement"
)

// Table replaces a table of the statement.
type Table struct {
	// Catalog, Schema and Name identify the relation. Only From may name it, with
	// the catalog and schema unless they are empty.
	Catalog, Schema, Name string
	// From is a SELECT of what can be read of the relation.
	From string
	// Attributes are the names of its columns, and of fields inside them.
	Attributes []string
}

// Rewrite writes the statement with each table replaced. The result names only
// the relations in tables.
func (s *Select) Rewrite(tables map[string]Table) (string, error) {
	if err := s.checkQualified(tables); err != nil {
		return "", err
	}
	replaced := map[*pg.Node]bool{}
	for _, t := range s.walk.nodes {
		table, ok := tables[t.name]
		if !ok {
			return "", fmt.Errorf("table %s is not bound", t.name)
		}
		parsed, err := pg.Parse(table.From)
		if err != nil || len(parsed.Stmts) != 1 {
			return "", fmt.Errorf("table %s: %w", t.name, errors.Join(err, errors.New("its text is not a SELECT")))
		}
		alias := t.node.GetRangeVar().Alias
		if alias == nil {
			alias = &pg.Alias{Aliasname: t.name}
		}
		replaced[t.node] = true
		t.node.Node = &pg.Node_RangeSubselect{RangeSubselect: &pg.RangeSubselect{Subquery: parsed.Stmts[0].Stmt, Alias: alias}}
	}
	out, err := pg.Deparse(s.tree)
	if err != nil {
		return "", fmt.Errorf("the statement can't be written: %w", err)
	}
	tree, err := pg.Parse(out)
	if err != nil {
		return "", fmt.Errorf("the statement that was written can't be read: %w", err)
	}
	s.written, s.places = out, map[int]place{}
	s.mirror(tree.ProtoReflect(), s.tree.ProtoReflect(), replaced)
	return out, s.verify(tree, tables)
}

// checkQualified rejects names after a dot that are neither columns nor defined by the
// statement: the engine would look for a function of that name.
func (s *Select) checkQualified(tables map[string]Table) error {
	names := map[string]bool{}
	for _, t := range tables {
		for _, a := range t.Attributes {
			names[a] = true
		}
	}
	for _, a := range s.walk.attributes {
		_, called := functions()[a.name]
		if names[a.name] || s.walk.defined[a.name] && !strings.HasPrefix(a.name, "pg_") || called || castTypes.Has(a.name) ||
			madeNames.Has(a.name) {
			continue
		}
		e := statement.RefuseAt(s.walk.sql, a.at, api.KindBinder, fmt.Sprintf("there is no column %q", api.Clip(a.name, 80)), "")
		e.Code = api.CodeQueryFailed
		if near := suggest.Near(a.name, slices.Sorted(maps.Keys(names))); len(near) > 0 {
			e.Hint, e.Details["suggestions"] = "Did you mean "+strings.Join(near, " or ")+"?", near
		}
		return e
	}
	return nil
}

// verify parses the rewritten statement again: its relations must be those of the
// tables, or defined by WITH under the generated names.
func (s *Select) verify(tree *pg.ParseResult, tables map[string]Table) error {
	allowed, defined := map[[3]string]bool{}, map[[3]string]bool{}
	for i := range s.walk.ctes {
		defined[[3]string{"", "", ownName(i + 1)}] = true
	}
	for _, t := range tables {
		name := [3]string{t.Catalog, t.Schema, t.Name}
		if defined[name] {
			return fmt.Errorf("the relation %q has the name of what WITH has defined", t.Name)
		}
		allowed[name] = true
	}
	var stray error
	relations(tree.ProtoReflect(), func(r *pg.RangeVar) {
		if name := [3]string{r.Catalogname, r.Schemaname, r.Relname}; !allowed[name] && !defined[name] {
			stray = fmt.Errorf("the statement that was written reads %q", r.Schemaname+"."+r.Relname)
		}
	})
	return stray
}

func relations(m protoreflect.Message, f func(*pg.RangeVar)) {
	if r, ok := m.Interface().(*pg.RangeVar); ok {
		f(r)
	}
	for child := range children(m) {
		relations(child, f)
	}
}
