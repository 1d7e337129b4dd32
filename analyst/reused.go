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
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// Estimated is what a fetch would cost.
type Estimated struct {
	*api.Estimate
	// Reuse is the snapshot that would answer instead; nil: none.
	Reuse *snapshot.Lineage `json:"reuse"`
}

// Estimate tells what a fetch would cost, and whether it would read anything at
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
	if r := a.current(a.candidates(remote, req), est, req); r != nil {
		out.Reuse = r.lineage()
	}
	return out, nil
}

// candidates are the snapshots that answer a request, if they are still true.
func (a *Analyst) candidates(remote Remote, req FetchRequest) []candidate {
	if req.Fresh {
		return nil
	}
	var all []candidate
	for _, store := range []*snapshot.Store{a.Store, a.partsIfAny()} {
		if store == nil {
			continue
		}
		held, err := store.List()
		if err != nil {
			continue // then the source answers
		}
		for _, m := range reuse.Find(req.Scan, remote.Name, held) {
			all = append(all, candidate{m, store, store != a.Store})
		}
	}
	return all
}

// candidate is a snapshot, or a part, that answers a request if it is still true.
type candidate struct {
	reuse.Match
	store *snapshot.Store
	part  bool // it was fetched by a query
}

// reusable is a snapshot that answers a request in place of the source.
type reusable struct {
	candidate
	asOf time.Time // when its rows were last known to be those of the table
}

func (r *reusable) lineage() *snapshot.Lineage {
	return &snapshot.Lineage{Snapshot: r.Held.Name, Part: r.part, ContentHash: r.Held.ContentHash, Proof: r.Proof, AsOf: r.asOf.UTC()}
}

// current is the first match that is true of the table as it is now, with the
// rights that the caller has now. Where the source cannot tell a version, the age
// decides.
func (a *Analyst) current(found []candidate, now *api.Estimate, req FetchRequest) *reusable {
	for _, m := range found {
		p := m.Held.Provenance
		switch {
		case p.Rights != now.Rights:
		case now.Version != "" && p.Version == now.Version:
			return &reusable{m, a.Now()}
		case now.Version == "" && req.MaxAge > 0 && a.Now().Sub(m.Held.FetchedAt) <= req.MaxAge:
			return &reusable{m, m.Held.FetchedAt}
		}
	}
	return nil
}

// errNotReusable says that the source has to answer after all.
var errNotReusable = errors.New("the snapshot cannot be used")

// derive writes the answer into the claim's temp file and returns what the
// sidecar will say. It is errNotReusable if the snapshot has gone meanwhile, or
// proves damaged, or does not have as many rows as the source says.
func (a *Analyst) derive(ctx context.Context, claim *snapshot.Claim, req FetchRequest, r *reusable, est *api.Estimate) (snapshot.Meta, error) {
	links, err := r.link()
	if err != nil {
		return snapshot.Meta{}, err
	}
	defer links.Close()
	meta, err := a.rows(ctx, claim, r, links.Path(r.Held.Name))
	if n := est.ResultRows; err == nil && n != nil && *n != meta.Rows {
		err = errNotReusable
	}
	if err != nil {
		_ = os.Remove(claim.Temp()) // a link to another snapshot's file must not be written to
		return meta, err
	}
	meta.SetRequest(req.Scan)
	meta.FetchedAt, meta.EffectiveAsOf = r.asOf, r.asOf
	meta.AllowCut, meta.RowRule = req.AllowCut, r.Held.RowRule
	meta.Server, meta.RequestID = r.Held.Server, r.Held.RequestID
	meta.Engine, meta.Warnings = "duckdb "+duckdb.Version, r.Held.Warnings
	meta.Provenance, meta.From = &r.Provenance, r.lineage()
	if r.Whole() {
		meta.Files = r.Held.Files
	}
	return meta, nil
}

// link holds the snapshot, which the caller closes; errNotReusable if it is another
// one by now.
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

// rows makes the file: a link to the snapshot's if that is the answer.
func (a *Analyst) rows(ctx context.Context, claim *snapshot.Claim, r *reusable, held string) (snapshot.Meta, error) {
	if r.Whole() && os.Link(held, claim.Temp()) == nil {
		return snapshot.Meta{Rows: r.Held.Rows, Schema: r.Held.Schema, ContentHash: r.Held.ContentHash}, nil
	}
	conn, err := a.openEngine(r.OrderBy != "")
	if err != nil {
		return snapshot.Meta{}, err
	}
	defer conn.Close()
	cols, err := conn.Describe(ctx, statementOf(r.Match, held))
	if err == nil {
		err = conn.Exec(ctx, "COPY ("+statementOf(r.Match, held)+")"+duckdb.ToParquet(claim.Temp(), cols))
	}
	var meta snapshot.Meta
	if err == nil {
		meta, err = describe(ctx, conn.Conn, claim.Temp())
	}
	var said *duckdb.Error
	if err = writeSnapshotError(claim.Name(), err); errors.As(err, &said) && ctx.Err() == nil && !isOurs(err) {
		return meta, errNotReusable // a file that is damaged inside
	}
	return meta, err
}

// isOurs reports whether an error of the engine is one of the disk or of memory.
func isOurs(err error) bool {
	var e *api.Error
	return errors.As(err, &e)
}

// statementOf is the SELECT of an answer from a snapshot's file.
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
