package core

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// proof is the result of one dialect's parser for a statement. It is valid only
// for tables whose source uses this dialect, because another parser may see other
// tables in the same text.
type proof struct {
	dialect predicate.Dialect
	stmt    source.Statement
	err     error
	// home are the tables that the caller can see in sources of this dialect,
	// away those in other sources.
	home, away []*table
}

// inspect proves a statement with the parser of its tables' source. It looks at
// the text itself only to skip parsers of sources whose tables are not named in
// it.
func (v *view) inspect(ctx context.Context, sql string) (*proof, error) {
	engines, mute := v.engines(sql), v.mute(sql)
	if len(engines) == 0 && mute != nil {
		return nil, noRemoteQuery(mute)
	}
	if len(engines) == 0 {
		return nil, &api.Error{Code: api.CodeStatement, Kind: api.KindNoRemoteQuery, Message: "no source here runs whole statements",
			Next: []api.Step{api.Do(api.ActionFetch, "get what you need"), api.Do(api.ActionQuery, "query it here")}}
	}
	proofs := make([]*proof, len(engines))
	for i, engine := range engines {
		proofs[i] = v.prove(ctx, engine, sql)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for _, fits := range []func(*proof) bool{
		func(p *proof) bool { return p.err == nil && len(p.home) > 0 && len(p.away) == 0 },
		func(p *proof) bool { return p.err == nil && len(p.home) > 0 }, // tables of several sources
		func(p *proof) bool { return p.err != nil },
		func(p *proof) bool { return len(p.away) == 0 }, // it names no existing table
	} {
		i := slices.IndexFunc(proofs, fits)
		switch {
		case i < 0:
		case proofs[i].err != nil && mute != nil:
			return nil, noRemoteQuery(mute) // its dialect has no parser here
		default:
			return proofs[i], proofs[i].err
		}
	}
	return nil, noRemoteQuery(proofs[0].away[0])
}

func (v *view) prove(ctx context.Context, engine source.Querier, sql string) *proof {
	p := &proof{dialect: source.Printed(engine)}
	if p.stmt, p.err = engine.Inspect(ctx, sql); p.err != nil {
		return p
	}
	mine := v.mine()
	for _, name := range p.stmt.Tables {
		id, _ := api.AsOf(name)
		i := slices.IndexFunc(mine, func(t *table) bool { return t.ID == id })
		switch {
		case i < 0:
		case source.Printed(mine[i].source) == p.dialect:
			p.home = append(p.home, mine[i])
		default:
			p.away = append(p.away, mine[i])
		}
	}
	return p
}

// engines returns one engine for each dialect among the readable tables that the
// text may name. If there is no such table, it returns any engine, which can say
// what is wrong with the text.
func (v *view) engines(sql string) []source.Querier {
	text := strings.ToLower(sql)
	named := map[predicate.Dialect]source.Querier{}
	for _, t := range v.mine() {
		q, ok := t.source.(source.Querier)
		if ok && named[source.Printed(q)] == nil && strings.Contains(text, t.ID) {
			named[source.Printed(q)] = q
		}
	}
	if len(named) == 0 {
		named = v.anyEngine()
	}
	var list []source.Querier
	for _, d := range slices.Sorted(maps.Keys(named)) {
		list = append(list, named[d])
	}
	return list
}

// mute returns a table that the text names and whose source runs no statements. It
// returns nil if there is no such table, or if the text also names a table of a
// source that runs them.
func (v *view) mute(sql string) (found *table) {
	names := map[string]bool{}
	for _, word := range tableWords().FindAllString(strings.ToLower(sql), -1) {
		names[word] = true
	}
	for _, t := range v.mine() {
		if !names[t.ID] {
			continue
		}
		if _, runs := t.source.(source.Querier); runs {
			return nil
		}
		found = t
	}
	return found
}

// tableWords matches words that may be table ids.
var tableWords = lazyregexp.New("[a-z0-9_]+")

// anyEngine returns any engine that can parse; DuckDB parses without a
// connection.
func (v *view) anyEngine() map[predicate.Dialect]source.Querier {
	one := map[predicate.Dialect]source.Querier{}
	sources := v.session.core.sources
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		q, ok := sources[name].(source.Querier)
		if ok && (len(one) == 0 || source.Printed(q) == predicate.DuckDB && one[predicate.DuckDB] == nil) {
			clear(one)
			one[source.Printed(q)] = q
		}
	}
	return one
}

func noRemoteQuery(t *table) error {
	return &api.Error{Code: api.CodeStatement, Kind: api.KindNoRemoteQuery,
		Message: fmt.Sprintf("the source of '%s' runs no statements", t.ID),
		Next:    []api.Step{api.Do(api.ActionFetch, "get what the statement needs", "table_id", t.ID), api.Do(api.ActionQuery, "run it here")}}
}
