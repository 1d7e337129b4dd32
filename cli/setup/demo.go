package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/demo"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// NewDemoCmd returns 'da demo'.
func NewDemoCmd(a *app.App) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole loop on real flights, here and over HTTP",
		Long: `Demo writes a small instance with real flights and airports into a folder, then
runs catalog, schema, estimate, fetch, query and refresh on it: first in this
process, then against a server that it starts on a free port of this machine.
It shows each command before its answer and touches nothing outside the folder.`,
		Example: "  da demo\n  da demo --dir flights",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.NoFormat("what it runs, for people to read"); err != nil {
				return err
			}
			return runDemo(cmd.Context(), a, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "da-demo", "the `folder` to write to")
	return cmd
}

// demoRun runs da's own commands in the demo's environment, as a user would.
type demoRun struct {
	app *app.App
	exe string
	dir string
	env []string
}

// The demo's request: flights that were hours late, over three months.
const (
	demoSelect = "date,delay,origin,destination"
	demoWhere  = "delay > 120 AND month >= 3"
	demoQuery  = "SELECT origin, count(*) AS late, round(avg(delay)) AS minutes FROM %s GROUP BY ALL ORDER BY late DESC, origin LIMIT 5"
)

func runDemo(ctx context.Context, a *app.App, dir string) error {
	dir = a.Absolute(dir)
	if err := demo.Write(dir); err != nil {
		return err
	}
	exe, err := a.Executable()
	if err != nil {
		return err
	}
	d := &demoRun{app: a, exe: exe, dir: dir}
	instance, home := filepath.Join(dir, "instance.yaml"), filepath.Join(dir, "home")
	stop := outlive()
	err = d.runBoth(ctx, instance, home)
	stop()
	if errors.Is(err, errReaderGone) {
		// Handle SIGPIPE like every command: the process ends during this write.
		_, err = a.BareOut().Write([]byte("\n"))
	}
	return err
}

// runBoth runs the demo in process, then over HTTP.
func (d *demoRun) runBoth(ctx context.Context, instance, home string) error {
	d.tell("Real flights of 2001 and their airports are now in %s.\nFirst in process: no server, no port, no token.", d.dir)
	d.set(config.EnvInstance, instance)
	d.set(config.EnvHome, home)
	if err := d.loop(ctx, "late"); err != nil {
		return err
	}
	d.tell("Now the same over HTTP: a server on a free port of this machine, which holds the data and the rules.")
	if err := d.overHTTP(ctx); err != nil {
		return err
	}
	d.tell("That is the loop: see what is there, see what a part costs, fetch that part, query it.\nTry next:\n"+
		"  export %s=%s %s=%s\n"+
		"  da describe airports\n"+
		"  da fetch airports && da query \"SELECT a.name, count(*) AS late FROM late JOIN airports a ON a.iata = late.origin GROUP BY ALL ORDER BY late DESC LIMIT 10\"\n"+
		"  da snapshot list\n"+
		"  da ui                     # the same in a browser\n"+
		"  da init FOLDER            # your own parquet, CSV or JSON files",
		config.EnvInstance, shellwords.Quote(instance), config.EnvHome, shellwords.Quote(home))
	return nil
}

// loop runs the main workflow from end to end.
func (d *demoRun) loop(ctx context.Context, name string) error {
	for _, args := range [][]string{
		{"catalog"},
		{"schema", "flights"},
		{"fetch", "flights", "--select", demoSelect, "--where", demoWhere, "--estimate"},
		{"fetch", "flights", "--select", demoSelect, "--where", demoWhere, "--as", name, "--force"},
		{"query", fmt.Sprintf(demoQuery, name)},
		{"snapshot", "refresh", name},
	} {
		if err := d.run(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// overHTTP runs the loop against a served instance.
func (d *demoRun) overHTTP(ctx context.Context) error {
	// Start with a new state: only the server of an earlier demo knew its token.
	if err := os.RemoveAll(filepath.Join(d.dir, demo.StateDir)); err != nil {
		return err
	}
	d.prompt("serve", "--listen", "127.0.0.1:0")
	cmd := exec.CommandContext(ctx, d.exe, "serve", "--listen", "127.0.0.1:0")
	cmd.Env = d.environment()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	url, token, err := Announced(stderr)
	if err == nil {
		go func() { _, _ = io.Copy(io.Discard, stderr) }() // the server's log; ends with the server
		d.aside("the server listens on %s and printed its first token, which is now in %s", url, config.EnvToken)
		d.set(config.EnvServer, url)
		d.set(config.EnvToken, token)
		err = d.loop(ctx, "late_http")
	}
	if stopErr := cmd.Process.Signal(syscall.SIGTERM); err == nil && stopErr != nil {
		err = stopErr
	}
	if waitErr := cmd.Wait(); err == nil && waitErr != nil {
		err = fmt.Errorf("the server: %w", waitErr)
	}
	return err
}

// run shows a command and runs it.
func (d *demoRun) run(ctx context.Context, args ...string) error {
	d.prompt(args...)
	if err := d.app.OutputFailed(); err != nil {
		return readerGone(err)
	}
	cmd := exec.CommandContext(ctx, d.exe, args...)
	cmd.Env = d.environment()
	cmd.Stdout, cmd.Stderr = d.app.BareOut(), d.app.IO.Err
	if err := cmd.Run(); err != nil {
		return readerGone(fmt.Errorf("da %s: %w", strings.Join(args, " "), err))
	}
	return nil
}

// errReaderGone means that nobody reads the output any more.
var errReaderGone = errors.New("the reader of the output has gone away")

// readerGone returns errReaderGone if that is why a write or a command failed.
func readerGone(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return errReaderGone
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		if s, ok := ended.Sys().(syscall.WaitStatus); ok && s.Signaled() && s.Signal() == syscall.SIGPIPE {
			return errReaderGone
		}
	}
	return err
}

// outlive keeps this process alive when its reader goes away, so that it can stop
// the server that it started; stop restores the default.
func outlive() (stop func()) {
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	return func() { signal.Stop(gone) }
}

func (d *demoRun) set(name, value string) { d.env = append(d.env, name+"="+value) }

// environment is the process's own, with the demo's folders, and without
// variables that would redirect its commands.
func (d *demoRun) environment() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case config.EnvServer, config.EnvToken, config.EnvInstance, config.EnvHome, config.EnvSession:
		case config.EnvConfig:
		default:
			env = append(env, kv)
		}
	}
	// Child processes share the budget of this run.
	if session := d.app.Getenv(config.EnvSession); session != "" {
		env = append(env, config.EnvSession+"="+session)
	}
	return append(env, d.env...)
}

func (d *demoRun) prompt(args ...string) {
	fmt.Fprintf(d.app.IO.Out, "\n$ da %s\n", shellwords.Join(args))
}

func (d *demoRun) tell(format string, args ...any) {
	fmt.Fprintf(d.app.IO.Out, "\n"+format+"\n", args...)
}

func (d *demoRun) aside(format string, args ...any) {
	fmt.Fprintf(d.app.IO.Out, "  ("+format+")\n", args...)
}
