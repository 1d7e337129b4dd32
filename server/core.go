// Package server is the side that holds the credentials and the rules: the
// core answers catalog, schema, sample, estimate, scan and query over the
// configured sources, and the HTTP routes carry the core to other machines.
//
// The core is entered through Core.As, and rights, limits and audit are
// decided there and nowhere else. A handler holds no rule, a source knows no
// caller, and the user's text never leaves the core except as a checked
// expression.
package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/source"
)

// Principal is who is asking.
type Principal struct {
	// User names the caller in logs and audit.
	User string
	// Admin may see every table and change the server's own state.
	Admin bool
}

// LocalAdmin is the user of an embedded server: whoever can read the instance
// file can read its sources too.
var LocalAdmin = Principal{User: "local", Admin: true}

// Core is the server without any transport.
type Core struct {
	limits  config.API
	tables  []*table // ordered by id
	byID    map[string]*table
	sources map[string]source.Source
	now     func() time.Time
	log     *slog.Logger

	schemas *cache[*source.Schema]
	samples *cache[*api.Sample]
	hints   *cache[catalogHints]
}

// table joins what the instance declares with the source that holds it.
type table struct {
	config.Table
	sourceType api.SourceType
	source     source.Source
}

// Bounds of the caches; what falls out is read again.
const (
	maxCachedTables = 10_000
	maxCachedBytes  = 64 << 20
)

// NewCore joins an instance with its opened sources, by name. The core owns
// the sources from here on.
func NewCore(inst *config.Instance, sources map[string]source.Source, log *slog.Logger) *Core {
	c := &Core{
		limits: inst.API, byID: map[string]*table{}, sources: sources,
		now: time.Now, log: log,
	}
	types := map[string]api.SourceType{}
	for _, s := range inst.Sources {
		types[s.Name] = s.Type
	}
	for _, t := range inst.Tables {
		entry := &table{Table: t, sourceType: types[t.Source], source: sources[t.Source]}
		c.tables = append(c.tables, entry)
		c.byID[t.ID] = entry
	}
	sortTables(c.tables)
	clock := func() time.Time { return c.now() }
	c.schemas = newCache[*source.Schema](c.limits.SchemaCacheTTL, maxCachedTables, maxCachedBytes, clock)
	c.samples = newCache[*api.Sample](c.limits.SampleCacheTTL, maxCachedTables, maxCachedBytes, clock)
	c.hints = newCache[catalogHints](c.limits.CatalogCacheTTL, maxCachedTables, maxCachedBytes, clock)
	return c
}

// Close closes the sources.
func (c *Core) Close() error {
	var errs []error
	for _, s := range c.sources {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// As is the one door: everything that p may do, and nothing else.
func (c *Core) As(p Principal) api.Service { return &session{core: c, who: p} }

// session is the core as one principal sees it.
type session struct {
	core *Core
	who  Principal
}

var _ api.Service = (*session)(nil)

// authorise finds a table that the caller may read, and the relation that
// exists for this caller. It runs before any cache is looked at.
func (s *session) authorise(tableID string) (*table, source.Relation, error) {
	if err := api.CheckName("table id", tableID); err != nil {
		return nil, source.Relation{}, err
	}
	t, ok := s.core.byID[tableID]
	switch {
	case ok && s.mayRead(t):
		return t, source.Relation{Name: t.Relation}, nil
	case s.who.Admin:
		return nil, source.Relation{}, s.unknownTable(tableID)
	default:
		// Whether the table exists is not for this caller to know.
		return nil, source.Relation{}, &api.Error{
			Code:    api.CodeForbidden,
			Message: "no access to table '" + tableID + "'",
			Hint:    "Run 'da catalog' to see the tables that you may read.",
			Details: map[string]any{"table_id": tableID},
		}
	}
}

func (s *session) mayRead(t *table) bool { return s.who.Admin || t.Public }

// RefreshCaches implements api.Admin.
func (s *session) RefreshCaches(context.Context) error {
	if !s.who.Admin {
		return &api.Error{Code: api.CodeForbidden, Message: "only an admin may refresh the server's caches",
			Hint: "'da catalog --refresh' refreshes your own."}
	}
	s.core.schemas.clear()
	s.core.samples.clear()
	s.core.hints.clear()
	return nil
}
