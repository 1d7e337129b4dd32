package fetch

import (
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// Request asks for a part of a table as a snapshot.
type Request struct {
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
	// OnQueue, if set, is told the place of the fetch in the server's queue.
	OnQueue func(place int)
	// OnResume, if set, is called when the fetch resumes from the bytes that an
	// earlier process has received.
	OnResume func(at int64)
}

// Result describes an installed snapshot.
type Result struct {
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

// job is one fetch: what is asked for, and what it works with.
type job struct {
	Request
	a      *analyst.Analyst
	remote analyst.Remote
	engine *analyst.LazyEngine // writes the rows and reads them back
	trace  bool                // ask for the rows file by file, so that a refresh can replace some
	most   *int64              // see FetchPart
	pin    bool                // set links
	sample *keep.Sample        // looks at some of the rows; nil: nothing does
	links  *snapshot.Links
}

// start makes the job of a request for the service of a. The caller closes it.
func start(a *analyst.Analyst, req Request) (*job, error) {
	if err := api.CheckTable(req.Scan.TableID); err != nil {
		return nil, err
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	return startAt(a, remote, req), nil
}

// startAt makes the job of a request for a service.
func startAt(a *analyst.Analyst, remote analyst.Remote, req Request) *job {
	return &job{Request: req, a: a, remote: remote, engine: a.LazyEngine()}
}

func (j *job) close() { j.engine.Close() }
