// Package cli is the command line: one file per command, each with an options
// struct, a constructor that declares flags, and a run function that does the
// work.
//
// Commands print results on stdout and return typed errors; only package exit
// turns an error into text, JSON and an exit code. The package does not know how
// a scan, a snapshot or a query works.
package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/jobs"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/guard/sandbox"
	"github.com/agnes-data/da/internal/words/humanize"
)

// Main runs da and returns its exit code.
func Main(ctx context.Context, args []string, env app.Env) int {
	if worker.Called(args) {
		return worker.Main(env.IO.In, env.IO.Out)
	}
	if sandbox.Called(args) {
		return sandbox.Main(env.IO.Err)
	}
	args, servesCalls := worker.CalledForCalls(args)
	if servesCalls && app.ServesContents(args) {
		return app.ServeContents(ctx, env)
	}
	a := app.New(ctx, env, args)
	a.ServesCalls = servesCalls
	defer a.Close()
	started := time.Now()
	record := jobs.Record(a)
	code := report(a, run(ctx, a))
	record(code)
	a.Detail("took " + humanize.Elapsed(time.Since(started)))
	return code
}

// run runs the command in the arguments. Its error is of the shared vocabulary,
// and has not been shown yet.
func run(ctx context.Context, a *app.App) error {
	root := newRootCmd(a)
	if err := expandAlias(a, root); err != nil {
		return err
	}
	cmd := root
	err := patiently(ctx, a, func() (err error) {
		if cmd != root {
			root = newRootCmd(a) // flags that can be repeated would add up
		}
		args := usage.CommentLast(a.Args)
		if err := usage.Once(root, args, a.Defaults); err != nil {
			return err
		}
		root.SetArgs(args)
		cmd, err = root.ExecuteContextC(ctx)
		return err
	})
	if err == nil {
		err = a.OutputFailed()
	}
	if err == nil {
		a.TellWeight()
		return nil
	}
	e := a.Explained(exit.Failure(err, ctx.Err() != nil))
	if e.Code == api.CodeUsage && e.Hint == "" {
		e.Hint = fmt.Sprintf("See '%s --help'.", cmd.CommandPath())
	}
	return exit.About(exit.TextOf(err), e)
}

// report prints an error, if there is one, and returns the exit code.
func report(a *app.App, err error) int {
	if err == nil {
		return a.ExitCode
	}
	e := a.Explained(exit.Failure(err, false))
	if e.Code == api.CodeInterrupted && a.IO.ErrTerminal {
		fmt.Fprint(a.IO.Err, "\r") // overwrite the ^C on the terminal
	}
	exit.Write(a.IO.Err, a.IO.ErrWidth, e, exit.TextOf(err), a.ErrorsAsJSON())
	return exit.Code(e)
}

// System is the environment of the process.
func System() app.Env { return app.System() }
