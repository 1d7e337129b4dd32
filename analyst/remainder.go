package analyst

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// maxParts is for how many partly matching snapshots the source is asked to
// estimate the missing rows.
const maxParts = 3

// inPart returns the snapshot that leaves the least to read at the source, if
// that is cheaper than reading everything; otherwise nil. The table must have a
// version, so that both parts of the rows are from the same one.
func (a *Analyst) inPart(ctx context.Context, remote Remote, found []candidate, whole *api.Estimate, req FetchRequest) (*reusable, error) {
	if whole.Version == "" {
		return nil, nil //nolint:nilnil // nothing was found
	}
	var best *reusable
	least, asked := whole, 0
	for _, m := range found {
		if m.Rest == "" || !ofThis(m.Held, whole) || asked == maxParts {
			continue
		}
		asked++
		rest, err := remote.Estimate(ctx, m.restOf(req.Scan))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// Skip what the source refuses, for example without a partition filter:
		// the rows are then read with the others.
		if err == nil && ofThis(m.Held, rest) && cheaper(rest, least) {
			best, least = &reusable{candidate: m, asOf: a.Now(), rest: rest}, rest
		}
	}
	return best, nil
}

// ofThis reports whether a snapshot has the version and the rights that a scan
// would have now.
func ofThis(m snapshot.Meta, now *api.Estimate) bool {
	return m.Provenance.Version == now.Version && m.Provenance.Rights == now.Rights
}

// restOf is the scan for the rows that the snapshot lacks.
func (c candidate) restOf(asked api.ScanRequest) api.ScanRequest {
	return api.ScanRequest{TableID: asked.TableID, Select: c.Select, Where: c.Rest}
}

// cheaper compares two scans by billed bytes, then by bytes read, then by bytes
// sent. Figures that are not known for both are ignored.
func cheaper(a, b *api.Estimate) bool {
	for _, f := range [][2]*int64{{a.BilledBytes, b.BilledBytes}, {a.ScanBytes, b.ScanBytes}, {a.ResultBytes, b.ResultBytes}} {
		if f[0] != nil && f[1] != nil && *f[0] != *f[1] {
			return *f[0] < *f[1]
		}
	}
	return false
}

// reuse takes rows from a snapshot, and reads those that it lacks at the source.
func (a *Analyst) reuse(ctx context.Context, remote Remote, claim *snapshot.Claim, req FetchRequest, r *reusable, whole *api.Estimate, result *FetchResult) (snapshot.Meta, error) {
	if r.rest != nil {
		return a.complete(ctx, remote, claim, req, r, whole, result)
	}
	start := time.Now()
	meta, err := a.derive(ctx, claim, req, r, whole)
	result.Timings.Transfer = lap(&start)
	return meta, err
}

// complete joins the snapshot's rows with the rest, which it reads at the source.
// It returns errNotReusable if the two turn out to be of different versions.
func (a *Analyst) complete(ctx context.Context, remote Remote, claim *snapshot.Claim, req FetchRequest, r *reusable, whole *api.Estimate, result *FetchResult) (snapshot.Meta, error) {
	links, err := r.link()
	if err != nil {
		return snapshot.Meta{}, err
	}
	defer links.Close()
	scratch := a.Store.Scratch()
	defer scratch.Close()
	if scratch.Path == "" {
		return snapshot.Meta{}, errNotReusable
	}
	if req.Estimate {
		result.Estimate = r.rest.Shown()
	}
	if req.OnEstimate != nil && result.Estimate != nil {
		req.OnEstimate(result.Estimate)
	}
	rest := req
	rest.Scan, rest.trace = r.restOf(req.Scan), false
	rest.Scan.RefuseCut = !req.AllowCut && r.rest.CutBy != nil && r.rest.CutBy.Certain
	added := filepath.Join(scratch.Path, "rest.parquet")
	read, err := a.pull(ctx, remote, target{name: claim.Name(), path: added}, nil, rest, &result.Timings)
	if err != nil {
		return snapshot.Meta{}, err
	}
	p, now := read.Provenance, r.Held.Provenance
	if read.Truncated || p == nil || p.Version != now.Version || p.Rights != now.Rights || !r.sameTypes(read.Schema) {
		return snapshot.Meta{}, errNotReusable
	}
	start := time.Now()
	sql := statementOf(r.Match, links.Path(r.Held.Name)) + " UNION ALL SELECT * FROM read_parquet(" + duckdb.PathLiteral(added) + ")"
	meta, err := a.write(ctx, target{name: claim.Name(), path: claim.Temp(), early: true}, sql, false, req.engine)
	if err == nil {
		err = checkRows(meta, whole)
	}
	if err != nil {
		_ = os.Remove(claim.Temp())
		return meta, err
	}
	result.Timings.Transfer += lap(&start)
	r.fill(&meta, req)
	meta.FetchedAt, meta.EffectiveAsOf = read.FetchedAt, read.EffectiveAsOf
	meta.RequestID, meta.EstimatedScanBytes = read.RequestID, r.rest.ScanBytes
	meta.Caveats = api.Arranged(append(api.CaveatsAbout(meta.Columns(), r.Held.Caveats), read.Caveats...))
	return meta, nil
}

// sameTypes reports whether the rows that were read have the column types of the
// answer.
func (r *reusable) sameTypes(read []snapshot.Column) bool {
	return slices.EqualFunc(r.Select, read, func(name string, c snapshot.Column) bool {
		return c.Name == name && slices.Contains(r.Held.Schema, c)
	})
}
