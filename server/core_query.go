package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// Query implements api.Querier: one SELECT over tables of one source, run by
// that source's engine.
func (s *session) Query(ctx context.Context, req api.QueryRequest) (*api.Stream, error) {
	if err := s.core.checkLimit(req.Limit); err != nil {
		return nil, err
	}
	engine, err := s.core.querier()
	if err != nil {
		return nil, err
	}
	stmt, err := engine.Inspect(ctx, req.SQL)
	if err != nil {
		return nil, err
	}
	names := stmt.Tables
	if len(names) == 0 {
		return nil, &api.Error{Code: api.CodeStatement, Kind: "no_table", Message: "the statement reads no table",
			Hint: "A remote query needs a table of 'da catalog'; without --remote it runs here."}
	}
	relations := map[string]source.Relation{}
	var tables []*table
	for _, name := range names {
		t, rel, err := s.authorise(name)
		if err != nil {
			return nil, err
		}
		relations[name] = rel
		tables = append(tables, t)
	}
	for _, t := range tables[1:] {
		if t.Source != tables[0].Source {
			return nil, severalSources(tables)
		}
	}
	runner, ok := tables[0].source.(source.Querier)
	if !ok {
		return nil, &api.Error{Code: api.CodeStatement, Kind: "no_remote_query",
			Message: fmt.Sprintf("the source of '%s' runs no statements", tables[0].ID),
			Hint:    fmt.Sprintf("Fetch what you need instead: da fetch %s --select … --where …", tables[0].ID)}
	}
	now := s.core.now().UTC().Truncate(time.Microsecond)
	return s.core.stream(ctx, tables[0], now, true, req.Limit, func(ctx context.Context) (array.RecordReader, error) {
		return runner.Query(ctx, req.SQL, relations)
	})
}

// querier picks the engine that parses statements. Today every engine that
// runs statements speaks one dialect, so any of them can tell the tables.
func (c *Core) querier() (source.Querier, error) {
	for _, name := range slices.Sorted(maps.Keys(c.sources)) {
		if q, ok := c.sources[name].(source.Querier); ok {
			return q, nil
		}
	}
	return nil, &api.Error{Code: api.CodeStatement, Kind: "no_remote_query", Message: "no source here runs whole statements",
		Hint: "Fetch what you need with 'da fetch', then query it here."}
}

func severalSources(tables []*table) error {
	var commands []string
	for _, t := range tables {
		commands = append(commands, fmt.Sprintf("da fetch %s --select … --where …", t.ID))
	}
	slices.Sort(commands)
	commands = slices.Compact(commands)
	hint := "Fetch them, then join the snapshots with 'da query':"
	for _, c := range commands {
		hint += "\n  " + c
	}
	return &api.Error{Code: api.CodeStatement, Kind: "several_sources",
		Message: "the statement reads tables of more than one source", Hint: hint,
		Details: map[string]any{"commands": commands}}
}
