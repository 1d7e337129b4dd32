package analyst

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agnes-data/da/analyst/reuse"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// Estimated is what a fetch would cost.
type Estimated struct {
	*api.Estimate
	// Reuse is the snapshot that would answer all or part of the request instead
	// of the source; nil if there is no such snapshot. Rest is the cost of
	// reading the remaining rows; nil if nothing is read.
	Reuse *snapshot.Lineage `json:"reuse"`
	Rest  *api.Estimate     `json:"rest"`
}

// Estimate returns what a fetch would cost, and whether it would read anything at
// the source.
func (a *Analyst) Estimate(ctx context.Context, req FetchRequest) (*Estimated, error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	est, err := remote.Estimate(ctx, req.Scan)
	if err != nil {
		return nil, err
	}
	out := &Estimated{Estimate: est.Shown()}
	r, err := a.find(ctx, remote, candidates(a.holdings, remote, req), est, req)
	if err == nil && r != nil {
		out.Reuse = r.lineage()
		if r.rest != nil {
			out.Rest = r.rest.Shown()
		}
	}
	return out, err
}

// holding is what a store has.
type holding struct {
	store *snapshot.Store
	metas []snapshot.Meta
	parts bool // fetched by queries
}

// holdings reads the sidecars of all snapshots and parts. A store that cannot be
// read is left out: then the source answers.
func (a *Analyst) holdings() []holding {
	var all []holding
	for _, store := range []*snapshot.Store{a.Store, a.partsIfAny()} {
		if store == nil {
			continue
		}
		if metas, err := store.List(); err == nil {
			all = append(all, holding{store, metas, store != a.Store})
		}
	}
	return all
}

// candidates returns the snapshots that may answer all or part of a request.
// Whether they are up to date is not checked here.
func candidates(here func() []holding, remote Remote, req FetchRequest) []candidate {
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

// reusable is a snapshot that answers all or part of a request instead of the
// source.
type reusable struct {
	candidate
	asOf time.Time     // when its rows were last known to match the table
	rest *api.Estimate // the cost of reading the rows that it lacks; nil if it has all
}

func (r *reusable) lineage() *snapshot.Lineage {
	return &snapshot.Lineage{Snapshot: r.Held.Name, Part: r.part, ContentHash: r.Held.ContentHash, Proof: r.Proof, Rest: r.Rest, AsOf: r.asOf.UTC()}
}

// find returns the snapshot to answer from, fully or in part; nil if the source
// has to answer.
func (a *Analyst) find(ctx context.Context, remote Remote, found []candidate, now *api.Estimate, req FetchRequest) (*reusable, error) {
	if r := a.current(found, now, req); r != nil {
		return r, nil
	}
	return a.inPart(ctx, remote, found, now, req)
}

// current returns the first match that has all rows, is of the table's current
// version, and was read with the caller's current rights. If the source has no
// versions, the age decides.
func (a *Analyst) current(found []candidate, now *api.Estimate, req FetchRequest) *reusable {
	for _, m := range found {
		p := m.Held.Provenance
		switch {
		case m.Rest != "" || p.Rights != now.Rights:
		case now.Version != "" && p.Version == now.Version:
			return &reusable{candidate: m, asOf: a.Now()}
		case now.Version == "" && req.MaxAge > 0 && a.Now().Sub(m.Held.FetchedAt) <= req.MaxAge:
			return &reusable{candidate: m, asOf: m.Held.FetchedAt}
		}
	}
	return nil
}

// errNotReusable means that the source has to answer after all.
var errNotReusable = errors.New("the snapshot cannot be used")

// derive writes the answer into the claim's temp file and returns the contents of
// the sidecar. It returns errNotReusable if the snapshot has been removed, is
// damaged, or differs from the source in the number of rows.
func (a *Analyst) derive(ctx context.Context, claim *snapshot.Claim, req FetchRequest, r *reusable, est *api.Estimate) (snapshot.Meta, error) {
	links, err := r.link()
	if err != nil {
		return snapshot.Meta{}, err
	}
	defer links.Close()
	meta, err := a.rows(ctx, claim, r, links.Path(r.Held.Name), req.engine)
	if err == nil {
		err = checkRows(meta, est)
	}
	if err != nil {
		_ = os.Remove(claim.Temp()) // a link to another snapshot's file must not be written to
		return meta, err
	}
	r.fill(&meta, req)
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
		return errNotReusable
	}
	return nil
}

// fill records the request, and the snapshot that the rows come from.
func (r *reusable) fill(meta *snapshot.Meta, req FetchRequest) {
	meta.SetRequest(req.Scan)
	meta.AllowCut, meta.RowRule = req.AllowCut, r.Held.RowRule
	meta.Server, meta.Engine = r.Held.Server, "duckdb "+duckdb.Version
	meta.Provenance, meta.From = &r.Provenance, r.lineage()
}

// link pins the snapshot; the caller closes the links. It returns errNotReusable
// if the snapshot has been replaced.
func (r *reusable) link() (*snapshot.Links, error) {
	links, err := r.store.Link([]string{r.Held.Name})
	if err != nil {
		return nil, errNotReusable
	}
	if links.Metas[0].DataFile != r.Held.DataFile {
		links.Close()
		return nil, errNotReusable
	}
	return links, nil
}

// rows makes the file: a hard link if the snapshot itself is the answer.
func (a *Analyst) rows(ctx context.Context, claim *snapshot.Claim, r *reusable, held string, engine *onDemand) (snapshot.Meta, error) {
	if r.Whole() && os.Link(held, claim.Temp()) == nil {
		return snapshot.Meta{Rows: r.Held.Rows, Schema: r.Held.Schema, ContentHash: r.Held.ContentHash}, nil
	}
	return a.write(ctx, target{name: claim.Name(), path: claim.Temp(), early: true}, statementOf(r.Match, held), r.OrderBy != "", engine)
}

// write writes the rows of a SELECT over files into a file, and describes it. It
// returns errNotReusable if the engine cannot read the files.
func (a *Analyst) write(ctx context.Context, to target, sql string, ordered bool, engine *onDemand) (snapshot.Meta, error) {
	conn, err := engine.get()
	if err != nil {
		return snapshot.Meta{}, err
	}
	err = conn.preserveOrder(ctx, ordered)
	if err == nil {
		err = conn.CopyParquet(ctx, sql, to.path, ordered)
	}
	var meta snapshot.Meta
	if err == nil {
		synced := to.sync()
		meta, err = describe(ctx, conn.Conn, to.path)
		err = errors.Join(err, <-synced)
	}
	if err == nil {
		return meta, nil
	}
	engine.Close() // some errors leave it unusable, and the source may have to answer
	var said *duckdb.Error
	if err = writeSnapshotError(to.name, err); errors.As(err, &said) && ctx.Err() == nil && !isOurs(err) {
		return meta, errNotReusable // the file is damaged
	}
	return meta, err
}

// isOurs reports whether an engine's error is about our disk or memory, not about
// the data.
func isOurs(err error) bool {
	var e *api.Error
	return errors.As(err, &e)
}

// statementOf is the SELECT that produces the answer from a snapshot's file.
func statementOf(m reuse.Match, file string) string {
	items := make([]string, len(m.Select))
	for i, name := range m.Select {
		items[i] = duckdb.Quote(name)
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM read_parquet(" + duckdb.PathLiteral(file) + ")"
	if m.Where != "" {
		sql += " WHERE " + m.Where
	}
	if m.OrderBy != "" {
		sql += " ORDER BY " + m.OrderBy
	}
	if m.Limit != nil {
		sql += fmt.Sprintf(" LIMIT %d", *m.Limit)
	}
	return sql
}
