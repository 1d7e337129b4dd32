// Package core is the server without a transport. It has the credentials and the
// rules, and answers catalog, schema, sample, estimate, scan and query over the
// configured sources.
//
// Its entry point is Core.As. Rights, limits and audit are decided here and
// nowhere else. A source knows no caller, and the user's text leaves the core
// only as a checked expression. The core knows no HTTP: package server/http
// connects it to other machines.
package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/server/artifact"
	"github.com/agnes-data/da/server/spool"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source"
)

// Core is the server without any transport.
type Core struct {
	file string // path of the instance file
	// model answers users. What it costs is kept below stateDir.
	model    config.Model
	meaning  meaning
	folder   string // of dashboards; empty: none
	stateDir string
	limits   config.API
	memory   int64                     // that the server may take; 0: no limit
	types    map[string]api.SourceType // by source name
	places   map[string]string         // where each source is, by name; contains secrets
	byID     map[string]*table         // the tables of the instance file
	sources  map[string]source.Source
	// registered are kept while they stay the same.
	registered atomic.Pointer[registered]
	standings  *lru.Cache[*standing]
	state      *state.Store
	metrics    *Metrics
	now        func() time.Time
	tryTime    time.Duration // time limit for trying a source
	log        *slog.Logger

	schemas *cache[*source.Schema]
	known   *cache[knowledge] // by knowledgeKey
	finder  *finder
	unknown chan struct{} // receives a value when known was emptied
	samples *cache[*api.Sample]
	hints   *cache[catalogHints]
	files   *artifact.Store
	spool   *spool.Spool
	shared  shared
	work    work
	quiet   *quiet
	writers writers
	turns   computeSlots
}

// table combines a table's declaration with its source.
type table struct {
	config.Table
	sourceType api.SourceType
	source     source.Source
	// partial says that the caller can read only part of the table. File names
	// and the like could then reveal something about the rest.
	partial bool
	key     string // that of knowledgeKey
}

// Limits of the caches; evicted entries are read again.
const (
	maxCachedTables = 10_000
	maxCachedBytes  = 64 << 20
)

// syncDir is the folder of synced tables' files, below that of the state or of the blobs.
const syncDir = "sync"

// New combines an instance with its opened sources, by name, and its state. It
// takes ownership of both.
func New(inst *config.Instance, sources map[string]source.Source, store *state.Store, log *slog.Logger) *Core {
	c := &Core{
		file: inst.File, model: inst.Agent, stateDir: inst.Server.StateDir, limits: inst.API, memory: inst.Limits.Memory,
		types:  map[string]api.SourceType{},
		places: map[string]string{}, byID: map[string]*table{}, sources: sources,
		state: store, metrics: NewMetrics(inst.Metrics.PerUser), now: store.Now, tryTime: tryTime, log: log, writers: newWriters(inst.Shares()),
		turns: newTurns(),
	}
	c.meaning.path, c.folder = inst.SemanticModel, inst.Dashboards
	c.quiet = newQuiet(c.rest)
	for _, s := range inst.Sources {
		c.types[s.Name] = s.Type
		c.places[s.Name] = fmt.Sprintf("%s %q", s.Type, s.Text) // maps are printed in order
	}
	for _, t := range inst.Tables {
		c.byID[t.ID] = c.declared(t)
	}
	clock := func() time.Time { return c.now() }
	c.files = artifact.At(filepath.Join(inst.Server.StateDir, syncDir), clock)
	c.spool = spool.New(filepath.Join(inst.Server.StateDir, "kept"), spool.Limits{Bytes: keptBytes, Files: keptFiles, For: api.FileKeptFor})
	c.shared.core, c.shared.leaving = c, make(chan struct{})
	c.schemas = newCache[*source.Schema](c.limits.SchemaCacheTTL, maxCachedTables, maxCachedBytes, clock)
	c.known = newCache[knowledge](knownFor(c.limits.SchemaCacheTTL), maxCachedTables, maxCachedBytes, clock)
	c.finder = newFinder(inst.Vectors)
	c.standings = lru.New[*standing](maxCachedTables, standingBytes)
	c.unknown = make(chan struct{}, 1)
	c.samples = newCache[*api.Sample](c.limits.SampleCacheTTL, maxCachedTables, maxCachedBytes, clock)
	c.hints = newCache[catalogHints](c.limits.CatalogCacheTTL, maxCachedTables, maxCachedBytes, clock)
	return c
}

func (c *Core) declared(t config.Table) *table {
	return &table{Table: t, sourceType: c.types[t.Source], source: c.sources[t.Source], key: keyOf(t)}
}

// unrestricted is the relation of the whole table.
func (t *table) unrestricted() source.Relation {
	return source.Relation{Name: t.Relation, Reading: t.reading()}
}

// reading returns how the table's text files are parsed.
func (t *table) reading() *source.Reading { return (*source.Reading)(t.Reading) }

// Close closes the sources and the state.
func (c *Core) Close() error {
	var errs []error
	c.quiet.close()
	c.shared.leave()
	c.spool.Close()
	c.shared.running.Wait()
	for _, s := range c.sources {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.state.Close())...)
}

// As is the only entry point: it returns what p is allowed to do.
func (c *Core) As(p Principal) *Session { return &Session{core: c, who: p} }

// Data returns the services for p as a user.
func (c *Core) Data(p Principal) api.Data { return c.As(p).Data() }

// Administration returns the services for p as an admin. If p is not an admin,
// every call is refused.
func (c *Core) Administration(p Principal) api.Administration { return c.As(p).Administration() }

// Session is the core for one principal. It is safe for concurrent use; rights
// are looked up again for every call.
type Session struct {
	core *Core
	who  Principal
}

// Data returns the services for users.
func (s *Session) Data() api.Data {
	d := api.Data{Catalog: s, TablePager: s, Searcher: s, Modeler: s, Knower: s, Scanner: s, Querier: s, QueryPricer: s, Syncer: s,
		Identifier: s, Meter: s, FileOwner: s}
	if !s.who.Local {
		d.Filer = s
	}
	return d
}

// Administration returns the services for admins.
func (s *Session) Administration() api.Administration {
	return api.Administration{
		CacheAdmin: s, SourceAdmin: s, HealthAdmin: s, UserAdmin: s, GroupAdmin: s,
		TokenAdmin: s, GrantAdmin: s, TableAdmin: s, AuditAdmin: s, DashboardAdmin: s, RunAdmin: s, ViewAdmin: s,
	}
}

// RefreshCaches implements api.CacheAdmin.
func (s *Session) RefreshCaches(ctx context.Context) error {
	return s.administer(ctx, "refresh_caches", "", func(context.Context) error {
		s.core.forget()
		return nil
	})
}

// forgetTable removes a table from the caches.
func (c *Core) forgetTable(id string) {
	c.finder.forget(id)
	for _, prefix := range []string{cachePrefix(id), id + "@"} { // as it is, and as it was
		c.schemas.drop(prefix)
		c.known.drop(prefix)
		c.samples.drop(prefix)
		c.hints.drop(prefix)
	}
}

// forget empties the caches.
func (c *Core) forget() {
	c.schemas.clear()
	c.known.clear()
	c.finder.forget("")
	select {
	case c.unknown <- struct{}{}:
	default: // the signal is pending already
	}
	c.samples.clear()
	c.hints.clear()
}
