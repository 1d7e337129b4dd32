package bqtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	bq "google.golang.org/api/bigquery/v2"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Job is a job as it was asked for.
type Job struct {
	ID, SQL        string
	DryRun         bool
	MaxBytesBilled int64
	Labels         map[string]string
	Location       string
}

// job is a job that runs or has run.
type job struct {
	resource *bq.Job
	cancel   context.CancelFunc
	done     chan struct{}

	// Set before done is closed.
	err  *refusal
	rows int64
}

func (j *job) over() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// resourceNow is the job as jobs.get tells it.
func (j *job) resourceNow() *bq.Job {
	r := *j.resource
	r.Status = &bq.JobStatus{State: "RUNNING"}
	if j.over() {
		r.Status.State = "DONE"
		if j.err != nil {
			r.Status.ErrorResult = &bq.ErrorProto{Reason: j.err.reason, Message: j.err.message}
			r.Status.Errors = []*bq.ErrorProto{r.Status.ErrorResult}
		}
	}
	return &r
}

var (
	labelKey   = lazyregexp.New(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$`)
	labelValue = lazyregexp.New(`^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$`)
)

// insert is jobs.insert: it starts a job, or answers a dry run.
func (s *Server) insert(ctx context.Context, in *bq.Job) (*bq.Job, error) {
	c := in.Configuration
	if c == nil || c.Query == nil || c.Load != nil || c.Copy != nil || c.Extract != nil || c.Query.UseLegacySql == nil || *c.Query.UseLegacySql {
		return nil, &refusal{http.StatusBadRequest, "invalid", "only queries in GoogleSQL are run here"}
	}
	for k, v := range c.Labels {
		if !labelKey().MatchString(k) || !labelValue().MatchString(v) {
			return nil, &refusal{http.StatusBadRequest, "invalid", fmt.Sprintf("Label %q: %q is not valid", k, v)}
		}
	}
	ref := in.JobReference
	if ref == nil {
		ref = &bq.JobReference{ProjectId: Project, JobId: "made"}
	}
	s.mu.Lock()
	s.seen = append(s.seen, Job{ID: ref.JobId, SQL: c.Query.Query, DryRun: c.DryRun, MaxBytesBilled: c.Query.MaximumBytesBilled,
		Labels: maps.Clone(c.Labels), Location: ref.Location})
	known := s.jobs[ref.JobId] != nil
	s.mu.Unlock()
	if known {
		return nil, &refusal{http.StatusConflict, "duplicate", "Already Exists: Job " + ref.JobId}
	}
	var project, dataset string
	if d := c.Query.DefaultDataset; d != nil {
		project, dataset = d.ProjectId, d.DatasetId
	}
	p, err := translate(c.Query.Query, s.find(project, dataset))
	if err != nil {
		return nil, s.refuse(c.Query.Query, err)
	}
	for t := range p.reads {
		if _, err := s.find("", "")([]string{t.project, t.dataset, t.name}); err != nil {
			return nil, err
		}
	}
	read, billed, err := s.bytesOf(ctx, p)
	if err != nil {
		return nil, err
	}
	out := s.resource(in, ref, p, read, billed)
	if c.DryRun {
		out.Status = &bq.JobStatus{State: "DONE"}
		return out, nil
	}
	j := &job{resource: out, done: make(chan struct{})}
	run, cancel := context.WithCancel(s.ctx)
	if c.JobTimeoutMs > 0 {
		run, cancel = context.WithTimeout(s.ctx, time.Duration(c.JobTimeoutMs)*time.Millisecond)
	}
	j.cancel = cancel
	s.mu.Lock()
	s.jobs[ref.JobId] = j
	s.mu.Unlock()
	go s.run(run, j, p)
	return j.resourceNow(), nil
}

// refuse keeps what could not be run.
func (s *Server) refuse(sql string, err error) error {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	var u *unsupported
	if errors.As(err, &u) {
		s.mu.Lock()
		s.refused = append(s.refused, u.what+": "+sql)
		s.mu.Unlock()
	}
	return &refusal{http.StatusBadRequest, "invalidQuery", err.Error()}
}

// resource is what a job tells of itself before it has run.
func (s *Server) resource(in *bq.Job, ref *bq.JobReference, p *plan, read, billed int64) *bq.Job {
	stats := &bq.JobStatistics2{StatementType: "SELECT", TotalBytesProcessed: read, TotalBytesProcessedAccuracy: "PRECISE", TotalBytesBilled: billed, Schema: &bq.TableSchema{}}
	for _, c := range p.columns {
		stats.Schema.Fields = append(stats.Schema.Fields, c.typ.schema(c.name, "NULLABLE", ""))
	}
	for _, t := range p.order {
		if s.tellsViews() || t.def.View == "" { // else the tables below a view are told, not the view
			stats.ReferencedTables = append(stats.ReferencedTables, &bq.TableReference{ProjectId: t.project, DatasetId: t.dataset, TableId: t.name})
		}
	}
	config := *in.Configuration
	query := *config.Query
	query.DestinationTable = &bq.TableReference{ProjectId: Project, DatasetId: resultsDataset, TableId: ref.JobId}
	config.Query, config.JobType = &query, "QUERY"
	return &bq.Job{JobReference: ref, Configuration: &config,
		Statistics: &bq.JobStatistics{Query: stats, TotalBytesProcessed: read, CreationTime: time.Now().UnixMilli()}}
}

// resultsDataset holds the results, as anonymous tables do.
const resultsDataset = "_results"

// run runs a job.
func (s *Server) run(ctx context.Context, j *job, p *plan) {
	defer close(j.done)
	defer j.cancel()
	q := j.resource.Configuration.Query
	if most := q.MaximumBytesBilled; most > 0 && j.resource.Statistics.Query.TotalBytesBilled > most {
		j.err = &refusal{http.StatusBadRequest, "bytesBilledLimitExceeded",
			fmt.Sprintf("Query exceeded limit for bytes billed: %d. %d or higher required.", most, j.resource.Statistics.Query.TotalBytesBilled)}
		return
	}
	result := &stored{project: Project, dataset: resultsDataset, name: q.DestinationTable.TableId, modified: time.Now()}
	for _, c := range p.columns {
		result.def.Columns = append(result.def.Columns, Column{Name: c.name})
		result.types = append(result.types, c.typ)
	}
	result.engineName = "r_" + result.name
	err := s.with(ctx, func(c *duckdb.Conn) error {
		if err := c.Exec(ctx, "CREATE TABLE "+quote(result.engineName)+" AS "+p.sql); err != nil {
			return err
		}
		return c.QueryRow(ctx, "SELECT count(*) FROM "+quote(result.engineName), nil, &result.rows)
	})
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		j.err = &refusal{http.StatusBadRequest, "timeout", "Job timed out"}
	case ctx.Err() != nil:
		j.err = &refusal{http.StatusBadRequest, "stopped", "Job execution was cancelled: User requested cancellation"}
	case err != nil:
		j.err = &refusal{http.StatusBadRequest, "invalidQuery", err.Error()}
	default:
		j.rows = result.rows
		s.mu.Lock()
		s.results[result.id()] = result
		s.mu.Unlock()
	}
}
