// Package tablesync brings whole tables of a server to this machine. It leaves
// snapshots alone.
package tablesync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
)

// How much is pulled concurrently: tables, and parts of each.
const (
	syncTables = 2
	syncParts  = 3
	// chunkTries is how often a part is requested.
	chunkTries = 3
)

// Request asks for whole tables.
type Request struct {
	// Tables names the tables to sync. Empty means all available tables, and
	// removes local ones that no longer exist on the server.
	Tables []string
	// AcceptDrift installs a table even if it breaks the checks of the one that is here.
	AcceptDrift bool
	// OnTotal, if set, is called once with the number of bytes to transfer.
	OnTotal func(bytes int64)
	// OnProgress, if set, is called with the number of bytes that just arrived.
	// Several goroutines may call it at once.
	OnProgress func(bytes int64)
}

// Result says what a sync did. Lists are never null, and ordered by table.
type Result struct {
	Embedded  bool              `json:"embedded"` // there is no server, so there is nothing to do
	Installed []Table           `json:"installed"`
	Unchanged []string          `json:"unchanged"`
	Removed   []string          `json:"removed"` // no longer granted, or no longer existing
	Failed    []api.SyncFailure `json:"failed"`  // their local copies are unchanged
	Bytes     int64             `json:"bytes_transferred"`
	Caveats   []api.Caveat      `json:"caveats"` // checks that do not hold, and did not keep a table from being installed; never null

	err error
}

// Table is a table that was pulled.
type Table struct {
	api.SyncTable
	Transferred int64 `json:"bytes_transferred"` // less than Bytes if an earlier pull was resumed
}

// Err returns the first failure, for the exit code; nil if everything succeeded.
func (r *Result) Err() error { return r.err }

// Run updates the synced tables. It pulls only what has changed. A table whose
// pull fails stays as it was and does not stop the others. Snapshots are not
// touched.
func Run(ctx context.Context, a *analyst.Analyst, req Request) (*Result, error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	result := &Result{Installed: []Table{}, Unchanged: []string{}, Removed: []string{}, Failed: []api.SyncFailure{}, Caveats: []api.Caveat{}}
	if strings.HasPrefix(remote.Name, analyst.EmbeddedPrefix) {
		for _, id := range req.Tables { // nothing is synced, but report wrong names
			if _, err := remote.Schema(ctx, id); err != nil {
				return nil, err
			}
		}
		result.Embedded = true
		return result, nil
	}
	store := synced.At(a.Home)
	unlock, err := store.Lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	m, err := remote.Manifest(ctx)
	if err != nil {
		return nil, err
	}
	p := &pullAll{a: a, remote: remote, store: store, req: req, result: result, now: a.Now, free: a.FreeBytes,
		engine: func() (*analyst.Engine, error) { return a.OpenEngine(true) }}
	stale, err := p.sort(ctx, m)
	if err != nil {
		return nil, err
	}
	if len(stale) > 0 || len(req.Tables) == 0 && len(p.others(m)) > 0 {
		// The derived database is for other tools: do not fail a sync because of
		// it. The next command does what remains.
		_ = a.Store.Expect(keep.Rebuild(a))
		defer func() { _ = keep.CatchUp(a) }()
	}
	if req.OnTotal != nil {
		req.OnTotal(bytesOf(stale))
	}
	if err := p.run(ctx, stale); err != nil {
		return nil, err
	}
	if len(req.Tables) == 0 {
		if err := p.removeOthers(m); err != nil {
			return nil, err
		}
		store.Sweep(m.Tables)
	}
	slices.SortFunc(result.Installed, func(a, b Table) int { return strings.Compare(a.TableID, b.TableID) })
	slices.SortFunc(result.Failed, func(a, b api.SyncFailure) int { return strings.Compare(a.TableID, b.TableID) })
	return result, nil
}

// bytesOf returns the total size of tables.
func bytesOf(tables []api.SyncTable) (sum int64) {
	for _, t := range tables {
		sum += t.Bytes
	}
	return sum
}

// pullAll is the state of a running sync.
type pullAll struct {
	a      *analyst.Analyst
	remote analyst.Remote
	store  *synced.Store
	req    Request
	now    func() time.Time
	engine func() (*analyst.Engine, error)
	free   func() (int64, error)

	mu     sync.Mutex
	result *Result
}

// sort determines what has to be pulled.
func (p *pullAll) sort(ctx context.Context, m *api.SyncManifest) (stale []api.SyncTable, err error) {
	known := map[string]bool{}
	wanted := func(id string) bool { return len(p.req.Tables) == 0 || slices.Contains(p.req.Tables, id) }
	for _, t := range m.Tables {
		known[t.TableID] = true
		if !wanted(t.TableID) {
			continue
		}
		if have, ok := p.store.Get(t.TableID); ok && have.XXH3 == t.XXH3 && have.Bytes == t.Bytes && have.Server == p.remote.Name {
			if err := p.store.Point(have); err != nil {
				p.fail(t.TableID, err)
				continue
			}
			p.result.Unchanged = append(p.result.Unchanged, t.TableID)
		} else {
			stale = append(stale, t)
		}
	}
	for _, f := range m.Failed {
		known[f.TableID] = true
		if wanted(f.TableID) {
			p.fail(f.TableID, f.Error.Error())
		}
	}
	for _, id := range p.req.Tables {
		if !known[id] {
			return nil, p.notForSync(ctx, id)
		}
	}
	return stale, nil
}

// notForSync returns the reason why a requested table is not in the manifest.
func (p *pullAll) notForSync(ctx context.Context, id string) error {
	if _, err := p.remote.Schema(ctx, id); err != nil {
		return err
	}
	return &api.Error{Code: api.CodeNotLocal, Kind: api.KindNotForSync, Message: fmt.Sprintf("'%s' is a remote table, not one to sync", id),
		Next: []api.Step{api.Do(api.ActionFetch, "get the part that you need", "table_id", id)}, Details: map[string]any{"table_id": id}}
}

// run pulls the tables. It stops early only if ctx ends.
func (p *pullAll) run(ctx context.Context, tables []api.SyncTable) error {
	var group errgroup.Group
	group.SetLimit(syncTables)
	for _, t := range tables {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			done, err := p.pull(ctx, t)
			p.mu.Lock()
			defer p.mu.Unlock()
			if err != nil {
				p.fail(t.TableID, err)
				return nil
			}
			p.result.Installed = append(p.result.Installed, done)
			return nil
		})
	}
	_ = group.Wait() // failures are in the result
	return ctx.Err()
}

// fail records a failure; the first one decides the exit code.
func (p *pullAll) fail(id string, err error) {
	var known *api.Error
	if !errors.As(err, &known) {
		known = &api.Error{Code: api.CodeUnexpected, Message: err.Error(), Err: err}
	}
	p.result.Failed = append(p.result.Failed, api.SyncFailure{TableID: id, Error: known.Body()})
	if p.result.err == nil {
		first := *known
		first.Message = fmt.Sprintf("table '%s' was not synced: %s", id, known.Message)
		p.result.err = &first
	}
}

// pull pulls one table. If it changes on the server meanwhile, pull starts over,
// once.
func (p *pullAll) pull(ctx context.Context, t api.SyncTable) (Table, error) {
	done, err := p.pullFile(ctx, t)
	if !isChanged(err) {
		return done, err
	}
	now, err := p.remote.LocalTable(ctx, t.TableID)
	if err != nil {
		return Table{}, err
	}
	return p.pullFile(ctx, *now)
}

func isChanged(err error) bool {
	return errors.Is(err, &api.Error{Code: api.CodeBadRequest, Kind: api.KindChanged})
}

func (p *pullAll) pullFile(ctx context.Context, t api.SyncTable) (Table, error) {
	part, err := p.store.Begin(t)
	if err != nil {
		return Table{}, err
	}
	defer part.Close()
	chunks, have := part.Missing()
	if free, err := p.free(); err == nil && t.Bytes-have > free {
		return Table{}, analyst.NoRoom(free)
	}
	p.arrived(have, false)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(syncParts)
	done := Table{SyncTable: t}
	for _, c := range chunks {
		if groupCtx.Err() != nil {
			break // one has failed; a large file has many more
		}
		group.Go(func() error {
			return p.pullChunk(groupCtx, part, t, c, func(n int64) {
				p.arrived(n, true)
				p.mu.Lock()
				done.Transferred += n
				p.mu.Unlock()
			})
		})
	}
	if err := group.Wait(); err != nil {
		return Table{}, err
	}
	_, err = part.Install(p.remote.Name, p.now(), func(path string) error {
		caveats, err := incoming{p.a, p.store, p.remote.Name, p.engine, t, p.req.AcceptDrift}.check(ctx, path)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.result.Caveats = api.Arranged(append(p.result.Caveats, caveats...))
		return err
	})
	if synced.IsSpoilt(err) && have > 0 {
		// A damaged leftover of an earlier pull may be the cause, for example
		// after a power cut.
		return p.pullFile(ctx, t)
	}
	return done, err
}

// pullChunk requests a part, and retries if the connection is lost in the middle.
func (p *pullAll) pullChunk(ctx context.Context, part *synced.Part, t api.SyncTable, c synced.Chunk, arrived func(int64)) error {
	for try := 1; ; try++ {
		err := p.tryChunk(ctx, part, t, c, arrived)
		if err == nil || try == chunkTries || ctx.Err() != nil || !api.CodeStreamCut.Is(err) {
			return err
		}
	}
}

func (p *pullAll) tryChunk(ctx context.Context, part *synced.Part, t api.SyncTable, c synced.Chunk, arrived func(int64)) error {
	body, err := p.remote.TableData(ctx, t, c.From, c.Size)
	if err != nil {
		return err
	}
	defer body.Close()
	return part.Write(c, body, arrived)
}

// arrived counts bytes. transferred says that they were sent just now, not by an
// earlier pull.
func (p *pullAll) arrived(n int64, transferred bool) {
	p.mu.Lock()
	if transferred {
		p.result.Bytes += n
	}
	p.mu.Unlock()
	if p.req.OnProgress != nil {
		p.req.OnProgress(n)
	}
}

// others returns local tables that the server no longer offers the caller. It
// ignores tables from other servers.
func (p *pullAll) others(m *api.SyncManifest) (others []synced.Meta) {
	there := map[string]bool{}
	for _, t := range m.Tables {
		there[t.TableID] = true
	}
	for _, f := range m.Failed {
		there[f.TableID] = true
	}
	for _, have := range p.store.List() {
		if have.Server == p.remote.Name && !there[have.TableID] {
			others = append(others, have)
		}
	}
	return others
}

// removeOthers removes the local tables that the server no longer offers.
func (p *pullAll) removeOthers(m *api.SyncManifest) error {
	for _, have := range p.others(m) {
		if err := p.store.Remove(have); err != nil {
			return err
		}
		p.result.Removed = append(p.result.Removed, have.TableID)
	}
	return nil
}
