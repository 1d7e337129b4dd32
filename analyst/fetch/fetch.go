// Package fetch makes a part of a table a snapshot, and refreshes it. It takes the rows
// from snapshots that have them, and the rest from the source.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// Run scans and installs. It claims the name before it asks the server, so that
// only one of several fetches of a name pays. After any error the old snapshot is
// unchanged.
func Run(ctx context.Context, a *analyst.Analyst, req Request) (*Result, error) {
	j, err := start(a, req)
	if err != nil {
		return nil, err
	}
	defer j.close()
	j.trace = traceable(req.Scan)
	result, err := j.run(ctx, a.Store, keep.RebuildWith(a, j.engine))
	if err == nil {
		keep.DropPrevious(a, result.Snapshot.Name) // of what was replaced
	}
	return result, err
}

// RunPart is Fetch for a store of parts. It pins the rows before others can remove
// them; the caller closes the links. If the scan would read more at the source than
// most, unless nil, the error is errNotReusable.
func RunPart(ctx context.Context, a *analyst.Analyst, store *snapshot.Store, req Request, most *int64) (*snapshot.Links, error) {
	j, err := start(a, req)
	if err != nil {
		return nil, err
	}
	defer j.close()
	j.most, j.pin = most, true
	if _, err := j.run(ctx, store, nil); err != nil {
		return nil, err
	}
	return j.links, nil
}

// run fetches into a store.
func (j *job) run(ctx context.Context, store *snapshot.Store, after snapshot.After) (*Result, error) {
	name := cmp.Or(j.Name, nameFor(j.Scan))
	claim, err := store.Claim(name, j.Force)
	if err != nil {
		return nil, alsoWrong(ctx, j.remote, j.Scan, err)
	}
	defer claim.Release()
	result := &Result{}
	meta, err := j.answer(ctx, claim, result)
	if err != nil {
		return nil, err
	}
	if err := installable(meta, claim.Existing(), j.Strict); err != nil {
		return nil, err
	}
	start := time.Now()
	installed, warnings, err := claim.Install(ctx, meta, after)
	if err != nil {
		return nil, err
	}
	result.Timings.Install = lap(&start)
	if j.pin {
		if j.links, err = store.Link([]string{name}); err != nil {
			return nil, err
		}
	}
	result.Snapshot = installed
	result.Caveats = keep.InstallCaveats(installed, warnings)
	return result, nil
}

// nameFor returns the name of a snapshot that got none. A part never takes the
// name of its table, which would then seem to be here.
func nameFor(scan api.ScanRequest) string {
	table, version := api.AsOf(scan.TableID)
	suffix := "_part"
	switch {
	case version != "":
		suffix = "_as_of"
	case len(scan.Select) == 0 && scan.Where == "" && scan.Limit == nil:
		return table
	}
	return table[:min(len(table), api.MaxName-len(suffix))] + suffix
}

// answer writes the rows into the claim's temp file: from a snapshot that has
// some or all of them, otherwise from the source.
func (j *job) answer(ctx context.Context, claim *snapshot.Claim, result *Result) (snapshot.Meta, error) {
	start := time.Now()
	candidates := candidates(Holdings(j.a), j.remote, j.Request)
	var est *api.Estimate
	if len(candidates) > 0 {
		j.engine.Start() // even a link needs it, for the derived database
	}
	if j.Estimate || len(candidates) > 0 {
		var err error
		if est, err = j.remote.Estimate(ctx, j.Scan); err != nil {
			return snapshot.Meta{}, err
		}
		result.Timings.Estimate = lap(&start)
		if j.Estimate {
			result.Estimate = est.Shown()
		}
		found, err := find(ctx, j.a, j.remote, candidates, est, j.Request)
		if err != nil {
			return snapshot.Meta{}, err
		}
		if found != nil {
			meta, err := j.reuse(ctx, claim, found, est, result)
			if !errors.Is(err, ErrNotReusable) {
				return meta, err
			}
			if j.Estimate {
				result.Estimate = est.Shown() // of the whole scan after all
			}
		}
	}
	if j.OnEstimate != nil && result.Estimate != nil {
		j.OnEstimate(result.Estimate)
	}
	if j.most != nil && (est == nil || est.ScanBytes == nil || *est.ScanBytes > *j.most) {
		return snapshot.Meta{}, ErrNotReusable
	}
	// If the scan is known to fit, the server does not need to estimate it again.
	fits := est != nil && (est.CutBy == nil || !est.CutBy.Certain)
	j.Scan.Files = j.trace
	j.Scan.RefuseCut = !j.AllowCut && j.Scan.Limit == nil && !fits
	meta, err := j.pull(ctx, target{name: claim.Name(), path: claim.Temp(), early: true}, j.partial(claim, est), &result.Timings)
	if result.Estimate != nil {
		meta.EstimatedScanBytes = result.Estimate.ScanBytes
	}
	return meta, err
}

// checkTime is how long an already failed request may be checked for further
// errors.
const checkTime = 20 * time.Second

// alsoWrong checks a request whose name is taken for further errors, so that the
// user sees them now and not on the next try. It ignores what it cannot check.
func alsoWrong(ctx context.Context, remote analyst.Remote, scan api.ScanRequest, taken error) error {
	if !api.CodeSnapshotExists.Is(taken) || scan.Where == "" && len(scan.Select) == 0 && len(scan.OrderBy) == 0 {
		return taken
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	_, err := remote.Estimate(ctx, scan)
	var wrong, exists *api.Error
	if !errors.As(err, &wrong) || !errors.As(taken, &exists) {
		return taken
	}
	switch wrong.Code {
	case api.CodeRejected, api.CodeBadRequest, api.CodeUnknownColumn, api.CodeUnknownTable, api.CodeForbidden:
		both := *wrong
		both.Hint = strings.TrimSpace(wrong.Hint + "\nBesides, " + exists.Message + ".")
		return &both
	}
	return taken
}

// Left returns what remains of the user's quota and budget.
func Left(ctx context.Context, a *analyst.Analyst) (api.Remaining, error) {
	remote, err := a.Connect()
	if err != nil {
		return api.Remaining{}, err
	}
	q, err := remote.Quota(ctx)
	if err != nil {
		return api.Remaining{}, err
	}
	return q.Remaining, nil
}

// installable refuses a result with caveats of the kinds in strict, and a cut one
// in place of a whole one.
func installable(meta snapshot.Meta, existing *snapshot.Meta, strict []api.CaveatKind) error {
	if meta.Truncated && existing != nil && existing.Damage == nil && !existing.Truncated {
		return &api.Error{Code: api.CodeBudget, Kind: api.KindCut,
			Message: fmt.Sprintf("the result was cut after %s by %s, and would replace a snapshot that is whole",
				humanize.Plural(meta.Rows, "row", "rows"), api.CapName(meta.CutBy)),
			Hint:    "The snapshot is unchanged.",
			Next:    []api.Step{api.Set(api.OptionWhere, "ask for fewer rows"), api.Set(api.OptionAs, "keep the part under another name")},
			Details: map[string]any{"rows": meta.Rows, "key": meta.CutBy, "snapshot": existing.Name}}
	}
	return api.Refused(keep.RowCaveats(meta), strict)
}
