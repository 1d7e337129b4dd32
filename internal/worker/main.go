package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"syscall"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/internal/wire"
)

// Arg is the argument that makes the program a worker.
const Arg = "__statement"

// Called reports whether the program was started as a worker; its arguments do
// not include its name.
func Called(args []string) bool { return len(args) == 1 && args[0] == Arg }

// Main is a worker's whole life. It returns the exit code.
func Main(in io.Reader, out io.Writer) int {
	var j Job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return 1
	}
	if err := confine(j.Memory); err != nil {
		return 1
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // until the other end is gone
		killSelf()
	}()
	if err := j.stream(out); err != nil {
		return j.tell(err)
	}
	return 0
}

// killSelf ends the process without a word: what asked for its work has gone.
func killSelf() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }

// stream runs the job in an engine of its own and writes its rows.
func (j Job) stream(out io.Writer) error {
	ctx := context.Background() // the other end kills
	db, err := duckdb.Open(j.Engine)
	if err != nil {
		return err
	}
	conn, err := db.Conn()
	if err != nil {
		return err
	}
	if err := conn.Lockdown(ctx, j.Dirs); err != nil {
		return err
	}
	rows, err := j.Run(ctx, conn)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, 1<<16)
	c := &counted{RecordReader: rows}
	_, err = wire.Encode(buffered, func() { _ = buffered.Flush() }, &api.Stream{
		Batches: c, End: func() api.End { return api.End{Rows: c.rows} },
	}, wire.Plain)
	return err
}

// counted counts the rows that pass.
type counted struct {
	array.RecordReader
	rows int64
}

// Next implements array.RecordReader.
func (c *counted) Next() bool {
	more := c.RecordReader.Next()
	if more {
		c.rows += c.RecordBatch().NumRows()
	}
	return more
}

// tell sends the report of a failure and returns the exit code.
func (j Job) tell(err error) int {
	to := os.NewFile(uintptr(j.Report), "report")
	if to == nil || json.NewEncoder(to).Encode(reportOf(err)) != nil {
		return 1
	}
	return 0
}
