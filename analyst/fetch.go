package analyst

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// FetchRequest asks for a part of a table as a snapshot.
type FetchRequest struct {
	Scan api.ScanRequest
	// Name of the snapshot; empty means the table's id, or for a part of the table
	// its id with _part.
	Name string
	// Force replaces an existing snapshot of that name.
	Force bool
	// Strict rejects a result with caveats of these kinds.
	Strict []api.CaveatKind
	// AllowCut accepts a result that a cap has cut, if it has rows and replaces no
	// whole snapshot.
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
	Caveats  []api.Caveat  `json:"caveats"`
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
	name := cmp.Or(req.Name, nameFor(req.Scan))
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
	if err := installable(meta, claim.Existing(), req.Strict); err != nil {
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
	result.Caveats = told(installed, warnings)
	return result, nil
}

// nameFor returns the name of a snapshot that got none. A part never takes the
// name of its table, which would then seem to be here.
func nameFor(scan api.ScanRequest) string {
	if len(scan.Select) == 0 && scan.Where == "" && scan.Limit == nil {
		return scan.TableID
	}
	const suffix = "_part"
	return scan.TableID[:min(len(scan.TableID), api.MaxName-len(suffix))] + suffix
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

// installable refuses a result with caveats of the kinds in strict, and a cut one
// in place of a whole one.
func installable(meta snapshot.Meta, existing *snapshot.Meta, strict []api.CaveatKind) error {
	if meta.Truncated && existing != nil && existing.Damage == nil && !existing.Truncated {
		return &api.Error{Code: api.CodeBudget, Kind: api.KindCut,
			Message: fmt.Sprintf("the result was cut after %s by %s, and would replace a snapshot that is whole", humanize.Plural(meta.Rows, "row", "rows"), api.CapName(meta.CutBy)),
			Hint:    "The snapshot is unchanged.",
			Next:    []api.Step{api.Set(api.OptionWhere, "ask for fewer rows"), api.Set(api.OptionAs, "keep the part under another name")},
			Details: map[string]any{"rows": meta.Rows, "key": meta.CutBy, "snapshot": existing.Name}}
	}
	return api.Refused(caveatsOf(meta), strict)
}

// caveatsOf returns what is known of the rows of a snapshot.
func caveatsOf(m snapshot.Meta) []api.Caveat {
	caveats := slices.Clone(m.Caveats)
	if m.Truncated {
		cut := api.CutCaveat(m.Rows, m.CutBy)
		cut.About.Snapshot = m.Name
		cut.Text = fmt.Sprintf("snapshot '%s' has only the first %s: %s stopped it", m.Name, humanize.Plural(m.Rows, "row", "rows"), api.CapName(m.CutBy))
		caveats = append(caveats, cut)
	}
	if m.RowRule {
		caveats = append(caveats, api.RowRuleCaveat())
	}
	return caveats
}

// told returns the caveats of a snapshot that was just installed, and what went
// wrong beside that.
func told(m snapshot.Meta, beside []string) []api.Caveat {
	return api.Arranged(append(caveatsOf(m), api.CaveatsOf(api.CaveatOther, beside...)...))
}
