// Package cli is the command line: one file a command, each an options struct,
// a constructor that declares flags, and a run function that works.
//
// Commands print results on stdout and return typed errors; exit.go alone
// turns an error into text, JSON and an exit code. Nothing here knows how a
// scan, a snapshot or a query works.
package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/shellwords"
	"github.com/agnes-data/da/internal/worker"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/snapshot"
)

// Env is what a run of da gets from outside.
type Env struct {
	IO     *iostreams.Streams
	Getenv func(string) string
	// Home is the user's home folder, which may be unknown; Dir is the working
	// folder.
	Home, Dir string
	Now       func() time.Time
	// Args0 is how the program was called.
	Args0 string
	// storeOptions let tests stop the store between its steps.
	storeOptions []snapshot.Option
}

// System is the environment of the process.
func System() Env {
	home, _ := os.UserHomeDir() // unknown in a bare container: DA_HOME and DA_CONFIG still decide
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the folder was removed under us; absolute paths still work
	}
	return Env{IO: iostreams.System(), Getenv: os.Getenv, Home: home, Dir: dir, Now: time.Now, Args0: os.Args[0]}
}

// Main runs da and returns its exit code.
func Main(ctx context.Context, args []string, env Env) int {
	if worker.Called(args) {
		return worker.Main(env.IO.In, env.IO.Out)
	}
	args, servesCalls := worker.CalledForCalls(args)
	out := &stdout{w: env.IO.Out}
	streams := forAgent(*env.IO, env.Getenv)
	streams.Out = out
	a := &app{Env: env, ctx: ctx, args: args, servesCalls: servesCalls}
	a.IO = &streams
	a.nameSession()
	a.clientConfig = sync.OnceValues(func() (config.Client, error) { return config.LoadClient(a.places()) })
	defer a.close()
	err := newRootCmd(a).ExecuteContext(ctx)
	if err == nil {
		err = out.failed()
	}
	if err == nil {
		return exitOK
	}
	e := a.explained(failure(err, ctx.Err() != nil))
	if e.Code == api.CodeUsage && e.Hint == "" {
		e.Hint = fmt.Sprintf("See '%s --help'.", cmp.Or(a.running, "da"))
	}
	if e.Code == api.CodeInterrupted && a.IO.ErrTerminal {
		fmt.Fprint(a.IO.Err, "\r") // over the ^C that the terminal shows
	}
	writeError(a.IO.Err, e, a.asked, a.errorsAsJSON())
	return exitCode(e)
}

// app is one run of da: its environment, its global flags, and the services,
// opened when a command first asks for them.
type app struct {
	Env
	ctx  context.Context //nolint:containedctx // lives as long as the run
	args []string

	serverURL    string
	instancePath string
	format       string
	asJSON       bool
	maxScan      string // as given
	tokens       tokenFlag
	running      string // path of the command
	asked        string // the statement or predicate that the command was given
	servesCalls  bool   // a da mcp has started this process for its calls
	durable      bool   // the command is about the server's state

	core    *core.Core
	scratch *snapshot.Scratch
	store   *snapshot.Store

	// connecting keeps two uses of the service at once from opening two.
	connecting     sync.Mutex
	remote         analyst.Remote
	administration api.Administration // of the same server
	served         *client.Client     // nil: the core is in this process
	// clientConfig reads the client config, once.
	clientConfig func() (config.Client, error)
}

func (a *app) close() {
	if a.core != nil {
		_ = a.core.Close() // what was recorded there is on disk already
	}
	if a.scratch != nil {
		a.scratch.Close()
	}
}

// errorsAsJSON also looks at the raw arguments: a flag error comes before the
// flags are known.
func (a *app) errorsAsJSON() bool {
	if a.asJSON || a.format == "json" || a.format == "" && a.jsonByDefault() && !formatGiven(a.args) {
		return true
	}
	for i, arg := range a.args {
		if arg == "--" {
			break
		}
		if arg == "--json" || arg == "-ojson" || arg == "-o=json" || arg == "--output=json" ||
			(arg == "-o" || arg == "--output") && i+1 < len(a.args) && a.args[i+1] == "json" {
			return true
		}
	}
	return false
}

// outputFormat returns the format of results.
func (a *app) outputFormat() (output.Format, error) {
	if a.asJSON {
		if a.format != "" && a.format != "json" {
			return "", usageError("--json and --output " + a.format + " contradict each other")
		}
		return output.JSON, nil
	}
	if a.format == "" {
		if a.jsonByDefault() {
			return output.JSON, nil
		}
		return output.Table, nil
	}
	if a.tokens.given && a.tokens.tokens > 0 && a.format != "json" {
		return "", usageError("--max-tokens is for JSON, not for --output " + api.Clip(a.format, 40))
	}
	if f := output.Format(a.format); slices.Contains(output.Formats, f) {
		return f, nil
	}
	e := usageError("unknown output format '" + api.Clip(a.format, 40) + "'; choose one of " + formatNames())
	if _, named := output.FormatOf(a.format); named || strings.ContainsAny(a.format, `./\`) {
		e.Hint = "-o is the format; the file goes after --out, as in da query SQL --out " + shellwords.Quote(api.Clip(a.format, 40)) + "."
	}
	return "", e
}

// resultFormat is outputFormat for rows that may go to a file, whose name can
// tell the format.
func (a *app) resultFormat(file string) (output.Format, error) {
	if a.format == "" && !a.asJSON && file != "" {
		if f, ok := output.FormatOf(file); ok {
			return f, nil
		}
		e := usageError("the format of '" + file + "' is not clear from its name")
		e.Hint = "Name it as in result.csv, or give the format: -o csv."
		if info, err := os.Stat(a.absolute(file)); err == nil && info.IsDir() {
			e.Message, e.Hint = "'"+file+"' is a folder", "Name a file in it, as in "+filepath.Join(file, "result.csv")+"."
		}
		return "", e
	}
	return a.outputFormat()
}

// noFormat refuses --output and --json for a command that prints one thing only.
func (a *app) noFormat(prints string) error {
	if a.format == "" && !a.asJSON {
		return nil
	}
	e := usageError("this command prints " + prints + ", and knows no other format")
	e.Hint = "Leave out --output and --json."
	return e
}

func formatNames() string {
	var names []string
	for _, f := range output.Formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func (a *app) places() config.Places {
	return config.Places{Getenv: a.Getenv, Home: a.Home, Dir: a.Dir}
}

// openStore opens the user's snapshots.
func (a *app) openStore() (*snapshot.Store, error) {
	if a.store != nil {
		return a.store, nil
	}
	home, err := a.places().Data()
	if err != nil {
		return nil, err
	}
	a.store, err = snapshot.Open(home, a.storeOptions...)
	return a.store, err
}

// analyst opens the user's work place. The service behind it is opened at its
// first use: local commands work with no server in reach.
func (a *app) analyst() (*analyst.Analyst, error) {
	store, err := a.openStore()
	if err != nil {
		return nil, err
	}
	cfg, err := a.clientConfig()
	if err != nil {
		return nil, err
	}
	home, err := a.places().Data()
	if err != nil {
		return nil, err
	}
	work := &analyst.Analyst{
		Home:    home,
		Connect: a.connect,
		Store:   store, StaleAfter: staleAfter(cfg), Quota: quotaOf(cfg), Now: a.Now,
	}
	// What is derived is for other tools: no command fails because of it.
	_ = work.CatchUp()
	return work, nil
}
