// Package app is one run of da: its environment, its global flags, its streams,
// and the services behind it, opened when a command first needs them. It shows
// results. It knows no commands.
package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/workspace"
	"github.com/spf13/pflag"
)

// Env is what a run of da gets from its process.
type Env struct {
	IO     *iostreams.Streams
	Getenv func(string) string
	// Home is the user's home folder, or "" if unknown. Dir is the working
	// folder.
	Home, Dir string
	Now       func() time.Time
	// Args0 is the name that the program was called by.
	Args0 string
	// CompletionWait limits how long completion waits for a server.
	CompletionWait time.Duration
	// StoreOptions let tests stop the store between steps.
	StoreOptions []snapshot.Option
	// StateOptions let tests set the clock of a server's state.
	StateOptions []state.Option
}

// keyPatience is short, because nobody waits longer for a key.
const keyPatience = 1500 * time.Millisecond

// System returns the environment of the process.
func System() Env {
	home, _ := os.UserHomeDir() // may be unknown in a bare container; DA_HOME and DA_CONFIG are then used
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the folder was removed under us; absolute paths still work
	}
	return Env{IO: iostreams.System(), Getenv: os.Getenv, Home: home, Dir: dir, Now: time.Now, Args0: os.Args[0], CompletionWait: keyPatience}
}

// App is one run of da: its environment, its global flags, and the services,
// opened when a command first needs them.
type App struct {
	Env
	Ctx  context.Context //nolint:containedctx // lives as long as the run
	Args []string
	// Defaults are words among these whose flags may be given again.
	Defaults []string
	out      *stdout
	in       *stdin

	started time.Time
	// Patience is how long and how often to go on with what may pass.
	Patience Patience

	ServerURL    string
	InstancePath string
	Format       string
	AsJSON       bool
	maxScan      string // as given
	tokens       tokenFlag
	// Quiet suppresses everything but results, warnings and errors. Verbose
	// prints more on stderr.
	Quiet, Verbose bool
	// AtPrompt says that statements are typed into the shell.
	AtPrompt bool
	// Records shows rows as lists of their columns; Unpaged disables the pager.
	Records, Unpaged bool
	// ExitCode is that of a run that ends without an error.
	ExitCode int
	// ServesCalls says that a 'da mcp' process started this one for its calls.
	ServesCalls bool
	// Command is what runs, as in "snapshot refresh"; empty before that is known.
	Command string
	// OwnWords says that the command prints nothing read from data.
	OwnWords bool

	core    *core.Core
	scratch *store.Folder
	secrets sync.Map // tokens by the URLs of their servers
	// StateFailure is why the use of an instance is not recorded; nil: it is.
	StateFailure error
	// toldHome makes --verbose print the home only once.
	toldHome sync.Once
	store    *snapshot.Store

	progress  atomic.Pointer[output.Progress] // the last one that was started
	opening   sync.Mutex
	workspace *workspace.Workspace
	contents  contents

	// connecting keeps concurrent callers from opening the service twice.
	connecting     sync.Mutex
	Remote         analyst.Remote
	Administration api.Administration // of the same server
	Served         *client.Client     // nil if the core is in this process
	// ClientConfig reads the client config, once.
	ClientConfig func() (config.Client, error)
}

// AddFlags adds the flags of every command.
func (a *App) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&a.ServerURL, "server", "", "server to use: a `URL`, or a name given to 'da login' (DA_SERVER)")
	f.StringVar(&a.InstancePath, "instance", "", "instance `file` to read, without a server (DA_INSTANCE)")
	f.StringVarP(&a.Format, "output", "o", "", "output `format`: "+formatNames()+" (default table)")
	f.BoolVar(&a.AsJSON, "json", false, "same as --output json, in one shape for everybody; errors are JSON too")
	f.Var(&a.tokens, "max-tokens", fmt.Sprintf("most `tokens` of a JSON answer, at least %d; the rest is counted, and a query keeps it as @r1; 0: no limit (DA_MAX_TOKENS; default 4000 where an agent runs da)", fit.MinTokens))
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "only results, warnings and errors: no notes, no progress")
	f.BoolVar(&a.Verbose, "verbose", false, "say on stderr which server or instance and folder are used, and how long things took")
	a.Patience.addFlags(f)
	f.StringVar(&a.maxScan, "max-scan-bytes", "", "refuse requests that would read more `bytes` than this at the source, such as 5GB (DA_MAX_SCAN_BYTES)")
}

func (a *App) Places() config.Places {
	return config.Places{Getenv: a.Getenv, Home: a.Home, Dir: a.Dir}
}

// Absolute resolves a path against the working folder of this run.
func (a *App) Absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Dir, path)
}
