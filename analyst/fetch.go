package analyst

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/snapshot"
)

// FetchRequest asks for a part of a table as a snapshot.
type FetchRequest struct {
	Scan api.ScanRequest
	// Name of the snapshot; empty means the table's id.
	Name string
	// Force replaces an existing snapshot of that name.
	Force bool
	// Strict refuses a result that a cap of the server has cut.
	Strict bool
	// AllowCut runs also what is known to be cut by a cap. A limit does so too.
	AllowCut bool
	// Estimate asks for the cost first.
	Estimate bool
	// Fresh asks the source even if a snapshot has the rows. MaxAge lets a
	// snapshot that is no older answer for a table whose source cannot tell
	// whether it has changed; 0: none does.
	Fresh  bool
	MaxAge time.Duration
	// OnEstimate and OnProgress, if set, are told how the work goes on.
	OnEstimate func(*api.Estimate)
	OnProgress func(rows, bytes int64)
	// OnCut, if set, is told that the connection was lost after so many bytes of
	// the file, and that the fetch goes on.
	OnCut func(at int64)
	// OnResume, if set, is told that an earlier process has received so many bytes
	// of the same fetch, and that this one goes on.
	OnResume func(at int64)

	trace bool // ask for the rows file by file, so that a refresh can exchange some
	// most, if not nil, bounds what is read at the source, in bytes: errNotReusable if
	// it would be more by now.
	most *int64
	// hold, if not nil, gets the snapshot before others can take it away, to be closed.
	hold func(*snapshot.Links)
}

// FetchResult is an installed snapshot.
type FetchResult struct {
	Snapshot snapshot.Meta `json:"snapshot"`
	Estimate *api.Estimate `json:"estimate"` // nil: not asked for
	Warnings []api.Note    `json:"warnings"`
	Timings  Timings       `json:"timings_ms"`
}

// Timings say where the time of a fetch went, in milliseconds.
type Timings struct {
	Estimate   float64 `json:"estimate"`
	FirstBatch float64 `json:"first_batch"` // from the request to the stream's schema
	Transfer   float64 `json:"transfer"`    // receiving and writing, which go side by side
	Verify     float64 `json:"verify"`      // reading back and hashing
	Install    float64 `json:"install"`
}

// lap returns the milliseconds since *start and sets it to now.
func lap(start *time.Time) float64 {
	now := time.Now()
	elapsed := now.Sub(*start)
	*start = now
	return float64(elapsed.Microseconds()) / 1000
}

// Fetch scans and installs. The name is claimed before anything is asked of
// the server, so that of several fetches of one name one pays; whatever fails
// afterwards leaves the old snapshot as it was.
func (a *Analyst) Fetch(ctx context.Context, req FetchRequest) (*FetchResult, error) {
	req.trace = traceable(req.Scan)
	result, err := a.fetchInto(ctx, a.Store, a.rebuild, req)
	if err == nil {
		a.dropPrevious(result.Snapshot.Name) // of what was replaced
	}
	return result, err
}

// fetchInto is Fetch for any store.
func (a *Analyst) fetchInto(ctx context.Context, store *snapshot.Store, after snapshot.After, req FetchRequest) (*FetchResult, error) {
	if err := api.CheckName("table id", req.Scan.TableID); err != nil {
		return nil, err
	}
	name := req.Name
	if name == "" {
		name = req.Scan.TableID
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	claim, err := store.Claim(name, req.Force)
	if err != nil {
		return nil, alsoWrong(ctx, remote, req.Scan, err)
	}
	defer claim.Release()
	result := &FetchResult{}
	meta, err := a.answer(ctx, remote, claim, req, result)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	installed, warnings, err := claim.Install(ctx, meta, after)
	if err != nil {
		return nil, err
	}
	result.Timings.Install = lap(&start)
	if req.hold != nil {
		links, err := store.Link([]string{name})
		if err != nil {
			return nil, err
		}
		req.hold(links)
	}
	result.Snapshot = installed
	result.Warnings = append(warningsOf(installed), api.Notes(warnings)...)
	return result, nil
}

// answer gets the rows into the claim's temp file: from a snapshot that has them or
// some of them, or else from the source.
func (a *Analyst) answer(ctx context.Context, remote Remote, claim *snapshot.Claim, req FetchRequest, result *FetchResult) (snapshot.Meta, error) {
	start := time.Now()
	candidates := a.candidates(remote, req)
	var est *api.Estimate
	if req.Estimate || len(candidates) > 0 {
		var err error
		if est, err = remote.Estimate(ctx, req.Scan); err != nil {
			return snapshot.Meta{}, err
		}
		result.Timings.Estimate = lap(&start)
		if req.Estimate {
			result.Estimate = est.Shown()
		}
		found, err := a.find(ctx, remote, candidates, est, req)
		if err != nil {
			return snapshot.Meta{}, err
		}
		if found != nil {
			meta, err := a.reuse(ctx, remote, claim, req, found, est, result)
			if !errors.Is(err, errNotReusable) {
				return meta, err
			}
			if req.Estimate {
				result.Estimate = est.Shown() // of all, after all
			}
		}
	}
	if req.OnEstimate != nil && result.Estimate != nil {
		req.OnEstimate(result.Estimate)
	}
	if req.most != nil && (est == nil || est.ScanBytes == nil || *est.ScanBytes > *req.most) {
		return snapshot.Meta{}, errNotReusable
	}
	// A scan that is known to fit is not estimated once more.
	fits := est != nil && (est.CutBy == nil || !est.CutBy.Certain)
	req.Scan.Files = req.trace
	req.Scan.RefuseCut = !req.AllowCut && req.Scan.Limit == nil && !fits
	meta, err := a.pull(ctx, remote, target{claim.Name(), claim.Temp()}, partial(claim, remote.Name, req, est), req, &result.Timings)
	if result.Estimate != nil {
		meta.EstimatedScanBytes = result.Estimate.ScanBytes
	}
	return meta, err
}

// checkTime is how long a request is looked at that is refused anyway.
const checkTime = 5 * time.Second

// alsoWrong looks at a request whose name is taken: what is wrong in it is told
// now, not once another name has been found. What cannot be asked is not.
func alsoWrong(ctx context.Context, remote Remote, scan api.ScanRequest, taken error) error {
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
		both.Next = slices.Concat(wrong.Next, exists.Next)
		return &both
	}
	return taken
}

// Left tells what is left to the user of quota and budget.
func (a *Analyst) Left(ctx context.Context) (api.Remaining, error) {
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

// warningsOf returns what the user of a new snapshot should know about it.
func warningsOf(m snapshot.Meta) []api.Note {
	warnings := api.Notes(m.Warnings)
	if m.Truncated {
		warnings = append(warnings, truncationWarning(m))
	}
	return warnings
}

// truncationWarning says what a cap did to a snapshot.
func truncationWarning(m snapshot.Meta) api.Note {
	return api.Note{Text: fmt.Sprintf("snapshot '%s' is cut at %s by %s; a narrower predicate or fewer columns get every row that matches",
		m.Name, humanize.Plural(m.Rows, "row", "rows"), CapIn(m.CutBy, m.Server))}
}

// CapIn names a cap and where it is set: for an embedded service in a file of the
// user's own.
func CapIn(key, server string) string {
	path, embedded := strings.CutPrefix(server, EmbeddedPrefix)
	switch {
	case key == api.CapKey("max_session_bytes"):
		return "the session's budget (DA_SESSION_BUDGET, or " + key + " of the server)"
	case key == "":
		return "a cap of its source"
	case embedded:
		return key + " of " + path
	}
	return "the server's " + key
}
