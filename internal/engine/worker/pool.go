package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// Pool starts workers, and bounds how many there are at once. Its methods may be
// called concurrently.
type Pool struct {
	program string
	places  *admission
}

// NewPool returns a pool of at most size workers at a time. They are started
// when they are needed.
func NewPool(size int) (*Pool, error) {
	program, err := ownProgram()
	if err != nil {
		return nil, err
	}
	return &Pool{program: program, places: newPlaces(size)}, nil
}

// ownProgram is the program that runs, also when an upgrade has replaced its file.
func ownProgram() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the program that workers run: %w", err)
	}
	return program, nil
}

// Run starts a worker for the job, as soon as there is room for one. For says whose
// turn it is. The caller
// releases the reader, which kills the worker if it still runs; so does the end
// of ctx. Failures of the engine are *duckdb.Error, as if it ran here, those of
// Job.Setup within a *SetupError; what has killed a worker is an *api.Error.
func (p *Pool) Run(ctx context.Context, j Job) (*Reader, error) {
	give, err := p.acquire(ctx, j.Wait)
	if err != nil {
		return nil, err
	}
	r, err := p.start(ctx, j)
	if err != nil {
		give()
		return nil, err
	}
	r.give = give
	if r.rows, err = wire.Decode(r.out); err != nil {
		r.finish(err)
		err = r.err
		r.Release()
		return nil, err
	}
	return r, nil
}

// acquire waits for room for a worker, at most for the given time if that is not 0.
func (p *Pool) acquire(ctx context.Context, most time.Duration) (give func(), err error) {
	waiting := ctx
	if most > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, most)
		defer cancel()
	}
	if give, err = p.places.take(waiting); err == nil || errors.Is(err, context.Canceled) {
		return give, err
	}
	return nil, &api.Error{Code: api.CodeUnavailable, Kind: api.KindBusy, Err: err,
		Message: fmt.Sprintf("%d long statements, or statements and scans with costly conditions, run already, and none of them has made room in time", p.places.size), Hint: "Try again later."}
}

// start starts the process and sends it the job.
func (p *Pool) start(ctx context.Context, j Job) (_ *Reader, err error) {
	if Called(os.Args[1:]) {
		// The program does not know that it is a worker. Its workers would start others.
		return nil, errors.New("a worker starts no workers: main must call worker.Main")
	}
	r := &Reader{memory: j.Memory, report: make(chan []byte, 1)}
	r.refs.Store(1)
	defer func() {
		if err != nil {
			r.tidy()
		}
	}()
	if j.Engine.TempDir != "" {
		if j.Engine.TempDir, err = os.MkdirTemp(j.Engine.TempDir, "statement-"); err != nil {
			return nil, fmt.Errorf("make a folder for a statement: %w", err)
		}
		r.temp = j.Engine.TempDir
	}
	if j.Time > 0 {
		r.ctx, r.kill = context.WithTimeout(ctx, j.Time)
	} else {
		r.ctx, r.kill = context.WithCancel(ctx)
	}
	cmd := exec.CommandContext(r.ctx, p.program, Arg)
	// Args[0] is the name by which the program knows itself.
	cmd.Args[0], cmd.Dir, cmd.Env, cmd.Stderr = "da", "/", environment(), &r.crash
	report, ours, err := os.Pipe()
	if err != nil {
		return nil, noProcess(err)
	}
	defer ours.Close()
	cmd.ExtraFiles, j.Report = inherited(j.Files, ours)
	job, err := json.Marshal(j)
	if err != nil {
		_ = report.Close() // nothing was written there
		return nil, fmt.Errorf("write a job: %w", err)
	}
	if r.in, err = cmd.StdinPipe(); err == nil {
		r.out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		_ = report.Close() // nothing was written there
		return nil, noProcess(err)
	}
	r.cmd = cmd
	go func() {
		said, _ := io.ReadAll(io.LimitReader(report, maxReport)) // a report that was cut short fails to decode below
		_ = report.Close()
		r.report <- said
	}()
	go func() { _, _ = r.in.Write(job) }() // a worker that does not read it reports nothing
	return r, nil
}

// inherited places files in the worker under the numbers that they have here,
// and the report behind them.
func inherited(files []*os.File, report *os.File) (extra []*os.File, number int) {
	const first = 3 // behind the three streams
	last := first - 1
	for _, f := range files {
		last = max(last, int(f.Fd()))
	}
	extra = make([]*os.File, last+1-first, last+2-first)
	for _, f := range files {
		extra[int(f.Fd())-first] = f
	}
	return append(extra, report), last + 1
}

// maxReport bounds the report; the engine quotes the statement, which is at most
// 1 MiB, and names what is near a wrong name.
const maxReport = 16 << 20

// environment is what of ours a worker needs to start at all. The rest may hold
// secrets.
func environment() []string {
	env := []string{"GOTRACEBACK=none"}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "LD_LIBRARY_PATH=") || strings.HasPrefix(v, "MALLOC_") {
			env = append(env, v)
		}
	}
	return env
}

func noProcess(err error) error {
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindNoProcess, Err: err,
		Message: "the machine has no room for another process", Hint: "Try again later. " + api.InServerLog}
}

// died is the error of a worker that ended without a word.
func died(state *os.ProcessState, crash string, memory int64) error {
	how := errors.New("the worker of a statement ended: " + state.String())
	if outOfMemory(state, crash, memory) {
		return api.OutOfMemory(how)
	}
	return &api.Error{Code: api.CodeSource, Kind: api.KindEngineCrashed, Err: how,
		Message: "the engine crashed while it ran the request",
		Hint:    "Unchanged it would crash again: ask in another way, or fetch the rows and query them locally."}
}

// outOfMemory reports whether a process has ended because it could have no more
// than memory, in bytes.
func outOfMemory(state *os.ProcessState, crash string, memory int64) bool {
	for _, sign := range []string{"out of memory", "bad_alloc", "cannot allocate memory", "Resource temporarily unavailable",
		"pthread_create failed"} {
		if strings.Contains(crash, sign) {
			return true
		}
	}
	// Where an allocation fails, some crash before they say why. The limit counts
	// what was asked for, the peak what was touched: half of it is enough.
	return memory > 0 && peak(state) >= memory/2
}
