package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"syscall"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/wire"
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
	var passed int64
	counted := api.Reporting(rows, func(n, _ int64) { passed = n })
	_, err = wire.Encode(buffered, func() { _ = buffered.Flush() }, &api.Stream{
		Batches: counted, End: func() api.End { return api.End{Rows: passed} },
	}, wire.Plain)
	return err
}

// tell sends the report of a failure and returns the exit code.
func (j Job) tell(err error) int {
	to := os.NewFile(uintptr(j.Report), "report")
	if to == nil || json.NewEncoder(to).Encode(reportOf(err)) != nil {
		return 1
	}
	return 0
}
