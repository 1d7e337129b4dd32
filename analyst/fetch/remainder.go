package fetch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agnes-data/da/analyst"
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
func inPart(ctx context.Context, a *analyst.Analyst, remote analyst.Remote, found []candidate, whole *api.Estimate,
	asked api.ScanRequest) (*Reusable, error) {
	if whole.Version == "" {
		return nil, nil //nolint:nilnil // nothing was found
	}
	var best *Reusable
	least, tried := whole, 0
	for _, m := range found {
		if m.Rest == "" || !ofThis(m.Held, whole) || tried == maxParts {
			continue
		}
		tried++
		rest, err := remote.Estimate(ctx, m.restOf(asked))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// Skip what the source refuses, for example without a partition filter:
		// the rows are then read with the others.
		if err == nil && ofThis(m.Held, rest) && cheaper(rest, least) {
			best, least = &Reusable{candidate: m, asOf: a.Now(), Remaining: rest}, rest
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
func (j *job) reuse(ctx context.Context, claim *snapshot.Claim, r *Reusable, whole *api.Estimate, result *Result) (snapshot.Meta, error) {
	if r.Remaining != nil {
		return j.complete(ctx, claim, r, whole, result)
	}
	start := time.Now()
	meta, err := j.derive(ctx, claim, r, whole)
	result.Timings.Transfer = lap(&start)
	return meta, err
}

// complete joins the snapshot's rows with the rest, which it reads at the source.
// It returns errNotReusable if the two turn out to be of different versions.
func (j *job) complete(ctx context.Context, claim *snapshot.Claim, r *Reusable, whole *api.Estimate,
	result *Result) (snapshot.Meta, error) {
	links, err := r.Link()
	if err != nil {
		return snapshot.Meta{}, err
	}
	defer links.Close()
	scratch := j.a.Store.Scratch()
	defer scratch.Close()
	if scratch.Path == "" {
		return snapshot.Meta{}, ErrNotReusable
	}
	if j.Estimate {
		result.Estimate = r.Remaining.Shown()
	}
	if j.OnEstimate != nil && result.Estimate != nil {
		j.OnEstimate(result.Estimate)
	}
	rest := *j
	rest.Scan, rest.trace = r.restOf(j.Scan), false
	rest.Scan.RefuseCut = !j.AllowCut && r.Remaining.CutBy != nil && r.Remaining.CutBy.Certain
	added := filepath.Join(scratch.Path, "rest.parquet")
	read, err := rest.pull(ctx, target{name: claim.Name(), path: added}, nil, &result.Timings)
	if err != nil {
		return snapshot.Meta{}, err
	}
	p, now := read.Provenance, r.Held.Provenance
	if read.Truncated || p == nil || p.Version != now.Version || p.Rights != now.Rights || !r.sameTypes(read.Schema) {
		return snapshot.Meta{}, ErrNotReusable
	}
	start := time.Now()
	sql := r.SQL(links.Path(r.Held.Name)) + " UNION ALL SELECT * FROM read_parquet(" + duckdb.PathLiteral(added) + ")"
	meta, err := j.write(ctx, target{name: claim.Name(), path: claim.Temp(), early: true}, sql, false)
	if err == nil {
		err = checkRows(meta, whole)
	}
	if err != nil {
		_ = os.Remove(claim.Temp())
		return meta, err
	}
	result.Timings.Transfer += lap(&start)
	r.fill(&meta, j.Request)
	meta.FetchedAt, meta.EffectiveAsOf = read.FetchedAt, read.EffectiveAsOf
	meta.RequestID, meta.EstimatedScanBytes = read.RequestID, r.Remaining.ScanBytes
	meta.Caveats = api.Arranged(append(api.CaveatsAbout(meta.Columns(), r.Held.Caveats), read.Caveats...))
	return meta, nil
}

// sameTypes reports whether the rows that were read have the column types of the
// answer.
func (r *Reusable) sameTypes(read []snapshot.Column) bool {
	return slices.EqualFunc(r.Select, read, func(name string, c snapshot.Column) bool {
		return c.Name == name && slices.Contains(r.Held.Schema, c)
	})
}
