package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/reuse"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement/params"
)

// RefreshRequest asks to run a snapshot's scan again.
type RefreshRequest struct {
	Name string
	// Where, if not nil, replaces the stored predicate.
	Where *string
	// AnyServer allows a different server than the snapshot came from, because
	// the user named it.
	AnyServer bool
	Strict    []api.CaveatKind // refuse a result with caveats of these kinds
	// AllowCut runs the scan even if a cap is known to cut its result. Snapshots
	// that were fetched this way, or with a limit, always allow it.
	AllowCut bool
	// AcceptDrift installs a result even if it lacks columns of the snapshot, has
	// them with other types, or breaks the snapshot's checks.
	AcceptDrift bool
	// Params are the values of parameters in Where; may be nil.
	Params *params.Filler
	// Full reads all rows even if the source reports that they are unchanged.
	Full bool
	// OnProgress, if set, reports on the work.
	OnProgress func(rows, bytes int64)
}

// RefreshResult compares a snapshot before and after a refresh.
type RefreshResult struct {
	Name      string        `json:"name"`
	Unchanged bool          `json:"unchanged"` // the source reported no change, so nothing was read
	Identical bool          `json:"identical"` // same schema and rows; the file was not replaced
	Before    snapshot.Meta `json:"before"`
	After     snapshot.Meta `json:"after"`
	RowsDelta int64         `json:"rows_delta"`
	// Delta says how much of the table's files was read; null if all or nothing
	// was read.
	Delta *Delta `json:"delta,omitempty"`
	// ReadAll says why all rows were read although only some of them may have
	// changed; empty if not all were read, or if the caller asked for it.
	ReadAll string       `json:"read_all_because,omitempty"`
	Caveats []api.Caveat `json:"caveats"`
}

// Refresh updates a snapshot by running its stored scan again, or without any
// scan if the source reports that nothing has changed. Clock functions in the
// predicate are evaluated again. On any error the snapshot stays as it was. If
// columns are missing or have other types, the error is api.CodeSchemaDrift,
// unless the request accepts drift. The old snapshot is kept for Restore.
func Refresh(ctx context.Context, a *analyst.Analyst, req RefreshRequest) (*RefreshResult, error) {
	claim, err := a.Store.ClaimExisting(req.Name)
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	before := *claim.Existing()
	if path, imported := before.Imported(); imported {
		return nil, keep.ImportAgain(before.Name, path)
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, cameFrom(before, err)
	}
	if before.Server != remote.Name && !req.AnyServer {
		return nil, otherServer(before, remote.Name)
	}
	filled, err := req.fill(ctx, remote, before.TableID)
	if err != nil {
		return nil, err
	}
	j := startAt(a, remote, Request{Scan: before.Request(), Strict: req.Strict, AllowCut: req.AllowCut || before.AllowCut,
		OnProgress: req.OnProgress})
	defer j.close()
	r := &refreshing{RefreshRequest: req, job: j, claim: claim, before: before}
	if r.checks, err = checks.Kept(a.Store.ChecksPath(before.Name)); err != nil {
		return nil, err
	}
	r.look()
	result, err := r.run(ctx)
	if table, version := api.AsOf(before.TableID); err == nil && version != "" {
		result.Caveats = api.Arranged(append(result.Caveats,
			api.Caveat{Kind: api.CaveatStale, About: api.Subject{Snapshot: before.Name}, Reason: "as_of",
				Text: fmt.Sprintf("snapshot '%s' stays as of %s, whatever '%s' is now", before.Name, version, table),
				Next: []api.Step{api.Do(api.ActionFetch, "get the table as it is", "table_id", table)}}))
	}
	return result, filled.Explain(err)
}

// fill puts the values of parameters into the predicate.
func (req *RefreshRequest) fill(ctx context.Context, remote analyst.Remote, tableID string) (*params.Filled, error) {
	if req.Params == nil {
		return &params.Filled{}, nil
	}
	text := ""
	if req.Where != nil {
		text = *req.Where
	}
	filled, err := FillWhere(ctx, func() (api.Catalog, error) { return remote, nil }, req.Params, tableID, text)
	if err == nil && req.Where != nil {
		req.Where = &filled.Text
	}
	return filled, err
}

// refreshing is a refresh of a claimed snapshot from the service that it came from.
type refreshing struct {
	RefreshRequest
	job    *job
	claim  *snapshot.Claim
	before snapshot.Meta
	checks *checks.Table // of the snapshot; nil: none
	screen *checks.Screen
}

func (r *refreshing) run(ctx context.Context) (*RefreshResult, error) {
	before := r.before
	if !r.Full && r.Where == nil && before.Server == r.job.remote.Name && reuse.Comparable(before) {
		now, err := r.job.remote.Estimate(ctx, before.Request())
		if err != nil {
			return nil, drift(before, before.Request(), err)
		}
		if p := before.Provenance; p.Version == now.Version && p.Rights == now.Rights {
			return r.unchanged(ctx)
		}
		why := unchangeable(before, now)
		if why == "" {
			result, err := r.delta(ctx)
			if !errors.Is(err, ErrNotReusable) {
				return result, err
			}
			_ = os.Remove(r.claim.Temp())
			why = "too many files have changed, or the snapshot cannot be told apart by them"
		}
		result, err := r.readAgain(ctx)
		if err == nil {
			result.ReadAll = why
		}
		return result, err
	}
	return r.readAgain(ctx)
}

// unchanged records that the snapshot still matches its table.
func (r *refreshing) unchanged(ctx context.Context) (*RefreshResult, error) {
	meta := r.before
	meta.FetchedAt = r.job.a.Now()
	meta.EffectiveAsOf = meta.FetchedAt
	after, err := r.claim.Keep(ctx, meta)
	if err != nil {
		return nil, err
	}
	return &RefreshResult{Name: r.before.Name, Unchanged: true, Identical: true, Before: r.before, After: after,
		Caveats: keep.InstallCaveats(after, nil)}, nil
}

// readAgain runs the scan and installs its rows if they differ.
func (r *refreshing) readAgain(ctx context.Context) (*RefreshResult, error) {
	before := r.before
	if err := affordable(ctx, r.job.remote, before); err != nil {
		return nil, err
	}
	scan := before.Request()
	if r.Where != nil {
		scan.Where = *r.Where
	}
	j := r.job
	j.Scan = scan
	j.Scan.RefuseCut, j.Scan.Files = !j.AllowCut && scan.Limit == nil, traceable(scan)
	after, err := j.pull(ctx, target{name: r.claim.Name(), path: r.claim.Temp()}, nil, &Timings{})
	if err != nil {
		return nil, drift(before, scan, err)
	}
	if r.Where == nil { // the old estimate does not apply to another predicate
		after.EstimatedScanBytes = before.EstimatedScanBytes
	}
	return r.replace(ctx, after)
}

// affordable refuses a scan for which less is left of the quota than the same rows
// took the last time: it would be paid for and then be refused as cut.
func affordable(ctx context.Context, remote analyst.Remote, before snapshot.Meta) error {
	if strings.HasPrefix(remote.Name, analyst.EmbeddedPrefix) || before.BytesCounted == 0 {
		return nil
	}
	q, err := remote.Quota(ctx)
	if err != nil {
		return err
	}
	if left := q.Remaining.QuotaBytes; left != nil && *left < before.BytesCounted {
		return &api.Error{Code: api.CodeQuota, Kind: api.KindMaxDailyBytesPerUser,
			Message: fmt.Sprintf("snapshot '%s' took %s the last time, and %s of today's quota are left", before.Name,
				humanize.Bytes(before.BytesCounted), humanize.Bytes(*left)),
			Hint:    "Nothing was read, and the snapshot is unchanged. The quota starts again at midnight UTC.",
			Next:    []api.Step{api.Do(api.ActionQuota, "see what is left")},
			Details: map[string]any{"needed": before.BytesCounted, "left": *left}}
	}
	return nil
}

// replace installs the result in place of the snapshot, or keeps the snapshot's
// data if the rows are the same.
func (r *refreshing) replace(ctx context.Context, after snapshot.Meta) (*RefreshResult, error) {
	before := r.before
	if err := checkDrift(before, after); err != nil && !r.AcceptDrift {
		return nil, err
	}
	if err := installable(after, &before, r.Strict); err != nil {
		return nil, err
	}
	result := &RefreshResult{Name: before.Name, Before: before, RowsDelta: after.Rows - before.Rows,
		Identical: before.Damage == nil && after.ContentHash == before.ContentHash, Caveats: schemaChanges(before, after)}
	var err error
	if result.Identical {
		after.Files = nil
		if result.After, err = r.claim.Keep(ctx, after); err != nil {
			return nil, err
		}
		result.Caveats = api.Arranged(append(result.Caveats, keep.RowCaveats(result.After)...))
		return result, nil
	}
	broken, err := r.check(ctx, after)
	if err != nil {
		return nil, err
	}
	result.Caveats = append(result.Caveats, broken...)
	result.Caveats = append(result.Caveats, keep.SavePrevious(ctx, r.job.a, before)...)
	var warnings []string
	if result.After, warnings, err = r.claim.Install(ctx, after, keep.RebuildWith(r.job.a, r.job.engine)); err != nil {
		return nil, err
	}
	keep.TrimPrevious(r.job.a)
	result.Caveats = api.Arranged(append(result.Caveats, keep.InstallCaveats(result.After, warnings)...))
	return result, nil
}

// Refreshable returns the names of the snapshots that the current service can
// refresh, of those that are pinned, and of those that came from another service.
func Refreshable(a *analyst.Analyst) (names, pinned, elsewhere []string, err error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, nil, nil, err
	}
	all, err := a.Store.List()
	for _, m := range all {
		_, imported := m.Imported()
		switch {
		case imported:
		case m.Pinned:
			pinned = append(pinned, m.Name)
		case m.Server == remote.Name:
			names = append(names, m.Name)
		default:
			elsewhere = append(elsewhere, m.Name)
		}
	}
	return names, pinned, elsewhere, err
}

// again is the step that refreshes a snapshot from where it was fetched.
func again(meta snapshot.Meta) api.Step {
	if path, embedded := strings.CutPrefix(meta.Server, analyst.EmbeddedPrefix); embedded {
		return api.Do(api.ActionRefresh, "fetch it from there again", "name", meta.Name, "instance", path)
	}
	return api.Do(api.ActionRefresh, "fetch it from there again", "name", meta.Name, "server", meta.Server)
}

// cameFrom says of a snapshot where it was fetched, if there is nothing to fetch
// from here.
func cameFrom(meta snapshot.Meta, err error) error {
	var e *api.Error
	if !errors.Is(err, config.ErrNoInstance) || !errors.As(err, &e) {
		return err
	}
	return &api.Error{Code: e.Code, Message: fmt.Sprintf("snapshot '%s' was fetched from %s, and %s", meta.Name, meta.Server, e.Message),
		Next: []api.Step{again(meta)}}
}

func otherServer(meta snapshot.Meta, server string) error {
	return &api.Error{Code: api.CodeUsage, Kind: api.KindOtherServer,
		Message: fmt.Sprintf("snapshot '%s' was fetched from %s, not from %s", meta.Name, meta.Server, server),
		Hint:    "Spell out the server that you mean.",
		Next:    []api.Step{again(meta)},
		Details: map[string]any{"snapshot_server": meta.Server, "server": server}}
}
