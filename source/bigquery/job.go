package bigquery

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"cloud.google.com/go/bigquery"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// work is a statement to run.
type work struct {
	sql     string
	what    string // what it reads, for errors
	account source.Account
	ordered bool
	// dataset is the dataset of tables that the statement names without one; zero:
	// there are none.
	project, dataset string
	warnings         []string
	// selected are the columns that the result must have; nil: any.
	selected []*column
	// fail can replace an error before it is returned.
	fail func(error) error
}

// run runs a job to its end and starts reading the result.
func (b *BigQuery) run(ctx context.Context, w work) (array.RecordReader, error) {
	jobs, rows, err := b.clients.open(ctx)
	if err != nil {
		return nil, err
	}
	inner, cancel := context.WithCancel(ctx)
	result, err := b.execute(inner, jobs, w)
	if err == nil {
		var r *reader
		if r, err = b.openReader(inner, rows, w, result); err == nil {
			r.cancel = cancel
			return r, nil
		}
	}
	cancel()
	return nil, w.fail(failure(ctx, err, w.what))
}

// execute runs the job and returns the table that holds its result.
func (b *BigQuery) execute(ctx context.Context, jobs *bigquery.Client, w work) (*bigquery.Table, error) {
	q := b.query(jobs, w)
	// With an id of ours, a repeated insert finds the job of the first try, and
	// the job can be cancelled even if the answer was lost.
	q.JobID = "da_" + randomID()
	job, err := b.insert(ctx, q)
	if err != nil {
		b.abandon(ctx, jobs, q.JobID)
		return nil, err
	}
	state, err := job.Wait(ctx)
	if err != nil {
		b.abandon(ctx, jobs, q.JobID)
		return nil, err
	}
	if err := state.Err(); err != nil {
		return nil, err
	}
	config, err := job.Config()
	if err != nil {
		return nil, err
	}
	if c, ok := config.(*bigquery.QueryConfig); ok && c.Dst != nil {
		return c.Dst, nil
	}
	return nil, &api.Error{Code: api.CodeSource, Kind: api.KindUnavailable, Message: "BigQuery has run the query and returned no result"}
}

// query is the job's configuration.
func (b *BigQuery) query(jobs *bigquery.Client, w work) *bigquery.Query {
	q := jobs.Query(w.sql)
	q.DefaultProjectID, q.DefaultDatasetID = w.project, w.dataset
	q.Labels = labels(w.account)
	q.MaxBytesBilled = b.o.MaxBytesBilled
	if most := w.account.MaxBilledBytes; most != nil {
		q.MaxBytesBilled = max(1, min(q.MaxBytesBilled, *most)) // 0 would mean no limit
	}
	return q
}

func (b *BigQuery) insert(ctx context.Context, q *bigquery.Query) (*bigquery.Job, error) {
	q.JobTimeout = b.o.JobTimeout
	if deadline, ok := ctx.Deadline(); ok {
		q.JobTimeout = max(time.Millisecond, min(q.JobTimeout, time.Until(deadline)))
	}
	call, cancel := b.call(ctx)
	defer cancel()
	job, err := q.Run(call)
	if err != nil && ctx.Err() == nil && call.Err() != nil {
		return nil, failure(call, err, "a new job")
	}
	return job, err
}

// abandon cancels a job whose result is no longer wanted, so that it uses no more
// slots. It does not wait for the answer. The job may not even exist.
func (b *BigQuery) abandon(ctx context.Context, jobs *bigquery.Client, id string) {
	if ctx.Err() == nil {
		return // the job itself has failed
	}
	b.cleaning.Go(func() {
		ctx, cancel := b.call(context.WithoutCancel(ctx))
		defer cancel()
		job, err := jobs.JobFromProject(ctx, b.o.Project, id, b.o.Location)
		if err == nil {
			_ = job.Cancel(ctx) // if this fails, the job ends at its own time-out
		}
	})
}

func randomID() string {
	var id [12]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// dryRun asks BigQuery what a statement would read. It costs nothing.
func (b *BigQuery) dryRun(ctx context.Context, w work) (*bigquery.QueryStatistics, error) {
	jobs, _, err := b.clients.open(ctx)
	if err != nil {
		return nil, err
	}
	q := b.query(jobs, w)
	q.DryRun = true
	q.MaxBytesBilled = 0 // with a limit, it would fail instead of reporting the bytes
	call, cancel := b.call(ctx)
	defer cancel()
	job, err := q.Run(call)
	if err != nil {
		return nil, w.fail(failure(call, err, w.what))
	}
	if err := job.LastStatus().Err(); err != nil {
		return nil, w.fail(failure(call, err, w.what))
	}
	if s, ok := job.LastStatus().Statistics.Details.(*bigquery.QueryStatistics); ok {
		return s, nil
	}
	return nil, w.fail(failure(call, errors.New("a dry run without statistics"), w.what))
}
