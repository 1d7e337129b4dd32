package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// Expected is what must be true of the whole result of a statement; Checked gets the
// outcomes, before the rows come.
type Expected struct {
	All     []checks.Expectation
	Checked func([]checks.Outcome)
}

// RunParts runs a statement over parts, and takes ownership of them.
func RunParts(ctx context.Context, a *analyst.Analyst, sql string, portable bool, parts []*Part, views *Views,
	expected Expected) (*Result, error) {
	s, err := NewSession(a, nil)
	if err != nil {
		closeAll(parts)
		return nil, err
	}
	s.have(parts)
	if views != nil {
		s.steps = views.steps
	}
	var result *Result
	var outcomes []checks.Outcome
	if len(expected.All) > 0 {
		result, outcomes, err = s.QueryExpecting(ctx, sql, portable, expected.All)
	} else {
		result, err = s.Query(ctx, sql, portable)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	if expected.Checked != nil {
		expected.Checked(outcomes)
	}
	result.session = s
	return result, nil
}

func closeAll(parts []*Part) {
	for _, p := range parts {
		p.Close()
	}
}

// have gives the session parts, which it closes.
func (s *Session) have(parts []*Part) {
	s.parts = map[string]*Part{}
	for _, p := range parts {
		s.parts[p.TableID] = p
	}
}

// arrived is the relation of a name: of a part, the columns that are here.
func (s *Session) arrived(name string) string {
	p := s.parts[name]
	if p == nil || p.Links == nil {
		return duckdb.Quote(name)
	}
	var items []string
	for _, c := range p.Links.Metas[0].Schema {
		items = append(items, duckdb.Quote(c.Name))
	}
	return "(SELECT " + strings.Join(items, ", ") + " FROM " + duckdb.Quote(name) + ")"
}

// viewPart creates a view of a part with all columns of its table. Columns that
// the statement does not need are NULL.
func (s *Session) viewPart(ctx context.Context, r *Result, p *Part) error {
	from := " WHERE false"
	var had []snapshot.Column
	if p.Links != nil {
		from = " FROM read_parquet(" + duckdb.PathLiteral(p.File()) + ")"
		had = p.Links.Metas[0].Schema
	}
	items := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		r.Know(c.Name)
		items[i] = duckdb.Quote(c.Name)
		if !slices.ContainsFunc(had, func(h snapshot.Column) bool { return h.Name == c.Name }) {
			items[i] = "NULL::" + p.Types[i] + " AS " + items[i]
		}
	}
	if err := s.Engine.Exec(ctx, "CREATE OR REPLACE VIEW "+duckdb.Quote(p.TableID)+" AS SELECT "+strings.Join(items, ", ")+from); err != nil {
		return &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged,
			Message: fmt.Sprintf("what was fetched of '%s' cannot be read", p.TableID),
			Next:    []api.Step{api.Set(api.OptionFresh, "fetch it again")}, Err: err}
	}
	return nil
}
