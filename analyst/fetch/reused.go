package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/reuse"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// Holding is what a store has.
type Holding struct {
	store *snapshot.Store
	metas []snapshot.Meta
	parts bool // fetched by queries
}

// Holdings returns what reads the sidecars of all snapshots and parts, once. A store
// that cannot be read is left out: then the source answers.
func Holdings(a *analyst.Analyst) func() []Holding {
	return sync.OnceValue(func() (all []Holding) {
		for _, store := range []*snapshot.Store{a.Store, a.PartsStore()} {
			if store == nil {
				continue
			}
			if metas, err := store.List(); err == nil {
				all = append(all, Holding{store, metas, store != a.Store})
			}
		}
		return all
	})
}

// candidates returns the snapshots that may answer all or part of a request.
// Whether they are up to date is not checked here.
func candidates(here func() []Holding, remote analyst.Remote, req Request) []candidate {
	if req.Fresh {
		return nil
	}
	var all []candidate
	for _, h := range here() {
		for _, m := range reuse.Find(req.Scan, remote.Name, h.metas) {
			all = append(all, candidate{m, h.store, h.parts})
		}
	}
	return all
}

// candidate is a snapshot, or a part fetched by a query, that answers all or part
// of a request if it is up to date.
type candidate struct {
	reuse.Match
	store *snapshot.Store
	part  bool // it was fetched by a query
}

// Reusable is a snapshot that answers all or part of a request instead of the
// source.
type Reusable struct {
	candidate
	asOf      time.Time     // when its rows were last known to match the table
	Remaining *api.Estimate // the cost of reading the rows that it lacks; nil if it has all
}

func (r *Reusable) Lineage() *snapshot.Lineage {
	return &snapshot.Lineage{Snapshot: r.Held.Name, Part: r.part, ContentHash: r.Held.ContentHash, Proof: r.Proof, Rest: r.Rest,
		AsOf: r.asOf.UTC()}
}

// FindReusable returns the snapshot to answer from, fully or in part; nil if the
// source has to answer.
func FindReusable(ctx context.Context, a *analyst.Analyst, remote analyst.Remote, here func() []Holding, now *api.Estimate,
	req Request) (*Reusable, error) {
	return find(ctx, a, remote, candidates(here, remote, req), now, req)
}

func find(ctx context.Context, a *analyst.Analyst, remote analyst.Remote, found []candidate, now *api.Estimate,
	req Request) (*Reusable, error) {
	if r := current(a, found, now, req); r != nil {
		return r, nil
	}
	return inPart(ctx, a, remote, found, now, req.Scan)
}

// current returns the first match that has all rows, is of the table's current
// version, and was read with the caller's current rights. If the source has no
// versions, the age decides.
func current(a *analyst.Analyst, found []candidate, now *api.Estimate, req Request) *Reusable {
	for _, m := range found {
		p := m.Held.Provenance
		switch {
		case m.Rest != "" || p.Rights != now.Rights:
		case now.Version != "" && p.Version == now.Version:
			return &Reusable{candidate: m, asOf: a.Now()}
		case now.Version == "" && req.MaxAge > 0 && a.Now().Sub(m.Held.FetchedAt) <= req.MaxAge:
			return &Reusable{candidate: m, asOf: m.Held.FetchedAt}
		}
	}
	return nil
}

// ErrNotReusable means that the source has to answer after all.
var ErrNotReusable = errors.New("the snapshot cannot be used")

// derive writes the answer into the claim's temp file and returns the contents of
// the sidecar. It returns errNotReusable if the snapshot has been removed, is
// damaged, or differs from the source in the number of rows.
func (j *job) derive(ctx context.Context, claim *snapshot.Claim, r *Reusable, est *api.Estimate) (snapshot.Meta, error) {
	links, err := r.Link()
	if err != nil {
		return snapshot.Meta{}, err
	}
	defer links.Close()
	meta, err := j.rows(ctx, claim, r, links.Path(r.Held.Name))
	if err == nil {
		err = checkRows(meta, est)
	}
	if err != nil {
		_ = os.Remove(claim.Temp()) // a link to another snapshot's file must not be written to
		return meta, err
	}
	r.fill(&meta, j.Request)
	meta.FetchedAt, meta.EffectiveAsOf = r.asOf, r.asOf
	meta.RequestID, meta.Caveats = r.Held.RequestID, api.CaveatsAbout(meta.Columns(), r.Held.Caveats)
	if r.Whole() {
		meta.Files = r.Held.Files
	}
	return meta, nil
}

// checkRows returns errNotReusable if the source knows a different number of
// rows.
func checkRows(meta snapshot.Meta, est *api.Estimate) error {
	if n := est.ResultRows; n != nil && *n != meta.Rows {
		return ErrNotReusable
	}
	return nil
}

// fill records the request, and the snapshot that the rows come from.
func (r *Reusable) fill(meta *snapshot.Meta, req Request) {
	meta.SetRequest(req.Scan)
	meta.AllowCut, meta.RowRule = req.AllowCut, r.Held.RowRule
	meta.Server, meta.Engine = r.Held.Server, "duckdb "+duckdb.Version
	meta.Provenance, meta.From = &r.Provenance, r.Lineage()
}

// Link pins the snapshot; the caller closes the links. It returns errNotReusable
// if the snapshot has been replaced.
func (r *Reusable) Link() (*snapshot.Links, error) {
	links, err := r.store.Link([]string{r.Held.Name})
	if err != nil {
		return nil, ErrNotReusable
	}
	if links.Metas[0].DataFile != r.Held.DataFile {
		links.Close()
		return nil, ErrNotReusable
	}
	return links, nil
}

// rows makes the file: a hard link if the snapshot itself is the answer.
func (j *job) rows(ctx context.Context, claim *snapshot.Claim, r *Reusable, held string) (snapshot.Meta, error) {
	if r.Whole() && os.Link(held, claim.Temp()) == nil {
		return snapshot.Meta{Rows: r.Held.Rows, Schema: r.Held.Schema, ContentHash: r.Held.ContentHash}, nil
	}
	return j.write(ctx, target{name: claim.Name(), path: claim.Temp(), early: true}, r.SQL(held), r.OrderBy != "")
}

// write writes the rows of a SELECT over files into a file, and describes it. It
// returns errNotReusable if the engine cannot read the files.
func (j *job) write(ctx context.Context, to target, sql string, ordered bool) (snapshot.Meta, error) {
	conn, err := j.engine.Get()
	if err != nil {
		return snapshot.Meta{}, err
	}
	err = conn.PreserveOrder(ctx, ordered)
	if err == nil {
		err = conn.CopyParquet(ctx, sql, to.path, ordered)
	}
	var meta snapshot.Meta
	if err == nil {
		synced := to.sync()
		meta, err = keep.Describe(ctx, conn.Conn, to.path, j.sample)
		err = errors.Join(err, <-synced)
	}
	if err == nil {
		return meta, nil
	}
	j.engine.Close() // some errors leave it unusable, and the source may have to answer
	var said *duckdb.Error
	if err = analyst.WriteSnapshotError(to.name, err); errors.As(err, &said) && ctx.Err() == nil && !isOurs(err) {
		return meta, ErrNotReusable // the file is damaged
	}
	return meta, err
}

// isOurs reports whether an engine's error is about our disk or memory, not about
// the data.
func isOurs(err error) bool {
	var e *api.Error
	return errors.As(err, &e)
}

// SQL is the SELECT that produces the answer from the snapshot's file.
func (c candidate) SQL(file string) string {
	items := make([]string, len(c.Select))
	for i, name := range c.Select {
		items[i] = duckdb.Quote(name)
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM read_parquet(" + duckdb.PathLiteral(file) + ")"
	if c.Where != "" {
		sql += " WHERE " + c.Where
	}
	if c.OrderBy != "" {
		sql += " ORDER BY " + c.OrderBy
	}
	if c.Limit != nil {
		sql += fmt.Sprintf(" LIMIT %d", *c.Limit)
	}
	return sql
}
