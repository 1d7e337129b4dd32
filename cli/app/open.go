package app

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/workspace"
)

// New returns a run of da with the arguments. The caller closes it.
func New(ctx context.Context, env Env, args []string) *App {
	out := &stdout{w: env.IO.Out, closed: env.IO.OutClosed}
	streams := forAgent(*env.IO, env.Getenv)
	streams.Out = out
	in := &stdin{Reader: streams.In}
	if !streams.InTerminal { // programs that da starts there get the terminal itself
		streams.In = in
	}
	a := &App{Env: env, Ctx: ctx, Args: args, out: out, in: in, started: time.Now()}
	a.IO = &streams
	a.nameSession()
	a.ClientConfig = sync.OnceValues(func() (config.Client, error) { return config.LoadClient(a.Places()) })
	return a
}

// OutputFailed returns the first error of writing to standard output.
func (a *App) OutputFailed() error { return a.out.failed() }

// Close closes the services.
func (a *App) Close() {
	if a.core != nil {
		_ = a.core.Close() // its records are on disk already
	}
	if a.scratch != nil {
		a.scratch.Close()
	}
	if a.workspace != nil {
		_ = a.workspace.Close() // every change has been committed
	}
	a.contents.Close()
	if a.Patience.stop != nil {
		a.Patience.stop()
	}
}

// OpenStore opens the user's snapshots.
func (a *App) OpenStore() (*snapshot.Store, error) {
	if a.store != nil {
		return a.store, nil
	}
	home, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	a.store, err = snapshot.Open(home, a.StoreOptions...)
	return a.store, err
}

// contentTime is how long a command works on the content of a file.
const contentTime = 5 * time.Minute

// Workspace opens the user's files, once. Close closes them.
func (a *App) Workspace() (*workspace.Workspace, error) {
	a.opening.Lock()
	defer a.opening.Unlock()
	if a.workspace != nil {
		return a.workspace, nil
	}
	w, err := a.OpenWorkspace()
	if session := a.Getenv(config.EnvSession); err == nil && session != "" {
		w = w.By(session)
	}
	a.workspace = w
	return w, err
}

// OpenWorkspace opens the user's files. The caller closes them.
func (a *App) OpenWorkspace() (*workspace.Workspace, error) {
	cfg, err := a.ClientConfig()
	if err != nil {
		return nil, err
	}
	home, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	w, err := workspace.Open(filepath.Join(home, "files"), WorkspaceOptions(cfg.Files, a.Now))
	if err != nil {
		return nil, err
	}
	return w.With(a.Apart(contentTime, io.Discard)), nil
}

// ScratchWorkspace opens an empty workspace, for files that are not in the user's
// own. The caller calls remove.
func (a *App) ScratchWorkspace() (w *workspace.Workspace, remove func(), err error) {
	dir, err := os.MkdirTemp("", "da-files")
	if err != nil {
		return nil, nil, atomicfile.Explain("make a folder for temporary files", err)
	}
	if w, err = workspace.Open(dir, workspace.Options{MaxFile: math.MaxInt64, MaxTotal: math.MaxInt64, Now: a.Now}); err != nil {
		_ = os.RemoveAll(dir)
		return nil, nil, err
	}
	return w.With(a.Apart(contentTime, io.Discard)), func() { _ = errors.Join(w.Close(), os.RemoveAll(dir)) }, nil
}

// WorkspaceOptions returns the limits of a workspace from a config.
func WorkspaceOptions(f config.Files, now func() time.Time) workspace.Options {
	return workspace.Options{MaxFile: int64(f.MaxFileMB * 1e6), MaxTotal: int64(f.MaxTotalMB * 1e6), Now: now}
}

// Work opens the user's workplace for a command that prints an answer, and also
// returns the answer's format.
func (a *App) Work() (*analyst.Analyst, output.Format, error) {
	work, err := a.Analyst()
	return work, a.OutputFormat(), err
}

// Analyst opens the user's workplace. The service behind it is opened at its
// first use, so local commands work without a reachable server.
func (a *App) Analyst() (*analyst.Analyst, error) {
	store, err := a.OpenStore()
	if err != nil {
		return nil, err
	}
	cfg, err := a.ClientConfig()
	if err != nil {
		return nil, err
	}
	home, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	work := &analyst.Analyst{
		Home:    home,
		Connect: a.Connect,
		Store:   store, StaleAfter: StaleAfter(cfg), Quota: QuotaOf(cfg), PartsQuota: int64(cfg.PartsQuotaGB * 1e9), Now: a.Now,
	}
	a.toldHome.Do(func() { a.Detail("snapshots are in " + home) })
	// The derived database is for other tools: do not fail a command because of
	// it.
	_ = keep.CatchUp(work)
	return work, nil
}

// QueryOptions returns what a query may fetch, from the flags or the environment,
// otherwise from the client config.
func (a *App) QueryOptions() (plan.Options, error) {
	cfg, err := a.ClientConfig()
	if err != nil {
		return plan.Options{}, err
	}
	o, err := a.origin()
	if err != nil {
		return plan.Options{}, err
	}
	most := cfg.QueryFetchMaxBytes
	if o.MaxScanBytes != nil {
		most = *o.MaxScanBytes
	}
	return plan.Options{MaxBytes: most}, nil
}

// StaleAfter is the age at which a snapshot counts as stale.
func StaleAfter(cfg config.Client) time.Duration {
	return time.Duration(cfg.SnapshotStaleWarnDays * 24 * float64(time.Hour))
}

// QuotaOf returns the soft limit on snapshots, in bytes.
func QuotaOf(cfg config.Client) int64 { return int64(cfg.SnapshotQuotaGB * 1e9) }

// WarnOverQuota warns after writing a snapshot if the snapshots exceed their soft
// limit.
func (a *App) WarnOverQuota(work *analyst.Analyst) { a.Tell(keep.OverQuota(work)...) }
