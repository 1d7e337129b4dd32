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
	// Strict rejects a result that a cap of the server has cut.
	Strict bool
	// AllowCut runs the scan even if a cap is known to cut its result. So does a
	// limit.
	AllowCut bool
	// Estimate asks for the cost before the scan.
	Estimate bool
	// Fresh asks the source even if a snapshot has the rows. MaxAge matters only
	// for tables whose source has no versions: a snapshot up to that age can
	// answer. 0 disables this.
	Fresh  bool
	MaxAge time.Duration
	// OnEstimate and OnProgress, if set, report on the work.
	OnEstimate func(*api.Estimate)
	OnProgress func(rows, bytes int64)
	// OnCut, if set, is called when the connection was lost after that many bytes
	// of the file and the fetch is about to resume.
	OnCut func(at int64)
	// OnResume, if set, is called when the fetch resumes from the bytes that an
	// earlier process has received.
	OnResume func(at int64)

	trace bool // ask for the rows file by file, so that a refresh can replace some
	// most, if not nil, limits the bytes to read at the source. If the scan would
	// now read more, the error is errNotReusable.
	most *int64
	// hold, if not nil, receives links to the snapshot before others can remove
	// it; the receiver closes them.
	hold func(*snapshot.Links)
	// engine writes the rows and reads them back.
	engine *onDemand
}

// FetchResult describes an installed snapshot.
type FetchResult struct {
	Snapshot snapshot.Meta `json:"snapshot"`
	Estimate *api.Estimate `json:"estimate"` // nil: not requested
	Warnings []api.Note    `json:"warnings"`
	Timings  Timings       `json:"timings_ms"`
}

// Timings say how long each step of a fetch took, in milliseconds.
type Timings struct {
	Estimate   float64 `json:"estimate"`
	FirstBatch float64 `json:"first_batch"` // from the request to the stream's schema
	Transfer   float64 `json:"transfer"`    // receiving and writing, which overlap
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

// Fetch scans and installs. It claims the name before it asks the server, so that
// only one of several fetches of a name pays. After any error the old snapshot is
// unchanged.
func (a *Analyst) Fetch(ctx context.Context, req FetchRequest) (*FetchResult, error) {
	req.trace = traceable(req.Scan)
	req.engine = a.onDemand()
	defer req.engine.Close()
	result, err := a.fetchInto(ctx, a.Store, a.rebuildWith(req.engine), req)
	if err == nil {
		a.dropPrevious(result.Snapshot.Name) // of what was replaced
	}
	return result, err
}

// fetchInto is Fetch for any store. The request has an engine.
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

// answer writes the rows into the claim's temp file: from a snapshot that has
// some or all of them, otherwise from the source.
func (a *Analyst) answer(ctx context.Context, remote Remote, claim *snapshot.Claim, req FetchRequest, result *FetchResult) (snapshot.Meta, error) {
	start := time.Now()
	candidates := candidates(a.holdings, remote, req)
	var est *api.Estimate
	if len(candidates) > 0 {
		req.engine.begin() // even a link needs it, for the derived database
	}
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
				result.Estimate = est.Shown() // of the whole scan after all
			}
		}
	}
	if req.OnEstimate != nil && result.Estimate != nil {
		req.OnEstimate(result.Estimate)
	}
	if req.most != nil && (est == nil || est.ScanBytes == nil || *est.ScanBytes > *req.most) {
		return snapshot.Meta{}, errNotReusable
	}
	// If the scan is known to fit, the server does not need to estimate it again.
	fits := est != nil && (est.CutBy == nil || !est.CutBy.Certain)
	req.Scan.Files = req.trace
	req.Scan.RefuseCut = !req.AllowCut && req.Scan.Limit == nil && !fits
	meta, err := a.pull(ctx, remote, target{name: claim.Name(), path: claim.Temp(), early: true}, partial(claim, remote.Name, req, est), req, &result.Timings)
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

// Left returns what remains of the user's quota and budget.
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

// truncationWarning says that a cap cut a snapshot.
func truncationWarning(m snapshot.Meta) api.Note {
	return api.Note{Text: fmt.Sprintf("snapshot '%s' is cut at %s by %s; a narrower predicate or fewer columns get every row that matches",
		m.Name, humanize.Plural(m.Rows, "row", "rows"), CapIn(m.CutBy, m.Server))}
}

// CapIn names a cap and where it is set: for an embedded service, the path of the
// user's own instance file.
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
