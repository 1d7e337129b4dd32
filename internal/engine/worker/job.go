package worker

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Job is one statement and what it needs.
type Job struct {
	// Engine are the settings of the worker's engine. Its TempDir becomes a
	// folder below the one given, for this job alone.
	Engine duckdb.Options
	// Dirs are the only folders in which the statement may read files.
	Dirs []string
	// Files are open in the worker, too, under the numbers that they have here, so
	// that /proc/self/fd/N means the same. They stay the caller's.
	Files []*os.File `json:"-"`
	// SQLite are tables of SQLite files, which become tables of the engine first.
	SQLite []SQLite
	// Setup are statements that run then, such as those that make views.
	Setup []string
	// SQL is one SELECT whose rows are the result.
	SQL string
	// Memory is the most that the worker may allocate beyond its program, in
	// bytes; 0: no hard limit.
	Memory int64
	// Wait is how long the job may wait for a worker, Time how long it may run then;
	// 0: as long as its context. The end of Time is context.DeadlineExceeded.
	Wait, Time time.Duration

	Report int // the descriptor of the report; set by Pool.Run
}

// SetupError is the failure of one of the statements in Job.Setup.
type SetupError struct {
	Step int // its index
	Err  error
}

func (e *SetupError) Error() string { return fmt.Sprintf("setup statement %d: %v", e.Step+1, e.Err) }

// Unwrap returns the failure itself.
func (e *SetupError) Unwrap() error { return e.Err }

// Rows is a stream whose schema holds the caveats about it.
type Rows struct {
	*duckdb.Stream
	Caveats []api.Caveat
}

// Schema returns the schema, with the caveats.
func (r *Rows) Schema() *arrow.Schema { return api.SchemaWith(r.Stream.Schema().Fields(), r.Caveats) }

// Run runs the job on a connection of the caller's, whose engine has its
// settings already.
func (j Job) Run(ctx context.Context, conn *duckdb.Conn) (*Rows, error) {
	for _, load := range j.SQLite {
		if err := load.into(ctx, conn, j.Engine.TempDir); err != nil {
			return nil, err
		}
	}
	for i, sql := range j.Setup {
		if err := conn.Exec(ctx, sql); err != nil {
			return nil, &SetupError{Step: i, Err: err}
		}
	}
	carried, warnings, err := conn.Carry(ctx, j.SQL)
	if err != nil {
		return nil, err
	}
	stream, err := conn.Query(ctx, carried)
	if err != nil {
		return nil, err
	}
	return &Rows{Stream: stream, Caveats: api.CaveatsOf(api.CaveatNarrowed, warnings...)}, nil
}
