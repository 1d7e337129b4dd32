package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/statement"
)

// Views are SELECTs with names that the statements of one call may read, where each
// statement fetches what it needs and has an engine of its own: see QueryFetch. A
// Session has views that share its engine.
type Views struct {
	a     *analyst.Analyst
	steps statement.Steps
}

// NewViews starts without any view.
func NewViews(a *analyst.Analyst) *Views { return &Views{a: a} }

// Define adds a view. Its columns are looked up where a statement reads it. Rows
// cannot be kept: the engine of one statement is gone when the next one runs.
func (v *Views) Define(ctx context.Context, d statement.Definition) error {
	return statement.Behind(d.Lead, v.define(ctx, d))
}

func (v *Views) define(ctx context.Context, d statement.Definition) error {
	if d.Table {
		return statement.Refuse(api.KindBadDefinition, "a query that fetches keeps no rows of a step", "Write CREATE TEMP VIEW.")
	}
	if err := nameStep(v.a, &v.steps, d); err != nil {
		return err
	}
	conn, err := v.a.OpenEngine(false)
	if err != nil {
		return err
	}
	defer conn.Close()
	query, err := statement.CheckWithResults(ctx, conn.Conn, d.Query)
	if err != nil {
		return HintFiles(err)
	}
	return addView(&v.steps, d, query)
}

// Prove checks a statement that may read views, and nothing else than views is put
// into it: it cannot run.
func (s *Session) Prove(ctx context.Context, sql string, views *Views) (*Result, error) {
	r := &Result{sql: sql}
	var err error
	if r.checked, err = statement.CheckWithResults(ctx, s.Engine.Conn, sql); err != nil {
		return nil, HintFiles(err)
	}
	r.Select, err = views.within(ctx, s.Engine.Conn, r.checked)
	return r, err
}

// within puts the views that a statement reads in front of it.
func (v *Views) within(ctx context.Context, conn *duckdb.Conn, sel *statement.Select) (*statement.Select, error) {
	if v == nil {
		return sel, nil
	}
	return v.steps.Within(ctx, conn, sel)
}

// nameStep refuses a step whose name is in use.
func nameStep(a *analyst.Analyst, steps *statement.Steps, d statement.Definition) error {
	if err := steps.Allow(d); err != nil {
		return err
	}
	if keep.Holds(a, d.Name) {
		return statement.Refuse(api.KindBadDefinition, fmt.Sprintf("'%s' is the name of a snapshot or table", d.Name),
			"Choose another name for the step.")
	}
	return nil
}

// addView adds a view that is proven, unless it reads itself.
func addView(steps *statement.Steps, d statement.Definition, query *statement.Select) error {
	if slices.Contains(query.Tables, d.Name) {
		return statement.Refuse(api.KindBadDefinition, fmt.Sprintf("view '%s' would read itself", d.Name), "Choose another name.")
	}
	steps.Add(d, query)
	return nil
}
