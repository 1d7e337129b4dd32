package app

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/telemetry"
	"github.com/agnes-data/da/server/blob"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source/registry"
)

// origin identifies the caller of this run, from the environment.
type origin client.Origin

// local returns the user of an embedded server with this origin.
func (o origin) local() core.Principal {
	who := core.LocalAdmin
	who.Agent, who.Session = o.Agent, o.Session
	who.MaxScanBytes, who.SessionBudget = o.MaxScanBytes, o.SessionBudget
	return who
}

// unnamed begins the name of a session that the user gave none.
const unnamed = "unnamed-"

// Session returns the name that the user gave the session; empty if it has none.
func (a *App) Session() string {
	name := strings.TrimSpace(a.Getenv(config.EnvSession))
	if strings.HasPrefix(name, unnamed) {
		return ""
	}
	return name
}

// nameSession gives this run, and what it starts, a session name if the session
// has a budget but no name. Without a name the budget would have no effect.
func (a *App) nameSession() {
	if a.Getenv(config.EnvSessionBudget) != "" && strings.TrimSpace(a.Getenv(config.EnvSession)) == "" {
		a.Setenv(config.EnvSession, unnamed+rand.Text())
	}
}

// Setenv sets a variable for this run.
func (a *App) Setenv(name, value string) {
	given := a.Getenv
	a.Getenv = func(asked string) string {
		if asked == name {
			return value
		}
		return given(asked)
	}
}

// origin reads the origin from flags and environment.
func (a *App) origin() (origin, error) {
	o := origin{Agent: AgentName(a.Getenv), Session: strings.TrimSpace(a.Getenv(config.EnvSession))}
	if trace := a.Getenv(telemetry.Variable); telemetry.Valid(trace) {
		o.Trace = trace
	}
	text, where := a.maxScan, "--max-scan-bytes"
	if text == "" {
		text, where = a.Getenv(config.EnvMaxScanBytes), config.EnvMaxScanBytes
	}
	var err error
	if o.MaxScanBytes, err = budget(where, text); err != nil {
		return o, err
	}
	if o.SessionBudget, err = budget(config.EnvSessionBudget, a.Getenv(config.EnvSessionBudget)); err != nil {
		return o, err
	}
	if err := o.local().Check(); err != nil {
		return o, usage.Error(config.EnvSession + " is not valid: it is 1 to 128 letters, digits and . _ : -")
	}
	return o, nil
}

// budget parses a number of bytes, which can be 0; nil if none is given.
func budget(where, text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	var n int64
	if strings.Trim(text, "0") != "" {
		var err error
		if n, err = usage.ParseSize("", text); err != nil {
			return nil, usage.Error(fmt.Sprintf("%s '%s' is not a number of bytes such as 500m or 5GB", where, text))
		}
	}
	return &n, nil
}

// AgentName returns the name of the calling program from the environment; empty
// if the caller seems to be a person.
func AgentName(getenv func(string) string) string {
	name := getenv(config.EnvAgent)
	if name == "" {
		agent, _ := config.AgentIn(getenv)
		name = agent.Name
	}
	if (core.Origin{Agent: name}).Check() == nil {
		return name
	}
	return "other"
}

// openCore opens an instance in this process. Its state records usage; if the
// state cannot be opened, only what depends on it fails.
func (a *App) openCore(inst *config.Instance, tempDir string, served, budgeted bool) (*core.Core, error) {
	if !served {
		if err := a.placeState(inst); err != nil {
			return nil, err
		}
	}
	store, err := a.OpenState(inst, state.InProcess())
	if err != nil && !served && !budgeted {
		a.Warn([]string{fmt.Sprintf("usage is not recorded: %v", err)})
		a.StateFailure = err
		store, err = state.OpenMemory()
	}
	if err != nil {
		return nil, err
	}
	return JoinCore(inst, registry.With{TempDir: tempDir, Partial: true}, store, slog.New(slog.DiscardHandler))
}

// OpenState opens the state of an instance. The caller closes it.
func (a *App) OpenState(inst *config.Instance, options ...state.Option) (*state.Store, error) {
	dsn, err := a.Places().StateDSN(inst.Server)
	if err != nil {
		return nil, err
	}
	return state.Open(inst.Server.StateDir, append(append(options, state.InPostgres(dsn)), a.StateOptions...)...)
}

// placeState moves the state of an instance below DA_HOME if only reading
// commands use it, so that no folder appears beside an instance file that nobody
// serves. An instance that already has a state, or sets its place, keeps it.
// Commands that change the state use the one of 'da serve'.
func (a *App) placeState(inst *config.Instance) error {
	if inst.StateNamed {
		return nil
	}
	if _, err := os.Stat(inst.Server.StateDir); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	home, err := a.Places().Data()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(inst.File))
	inst.Server.StateDir = filepath.Join(home, "state", hex.EncodeToString(sum[:8]))
	return nil
}

// ServedCore is JoinCore for a server, which keeps results where others find them if its
// instance says so: in the returned store, or nil.
func (a *App) ServedCore(inst *config.Instance, with registry.With, store *state.Store, log *slog.Logger) (*core.Core, blob.Store, error) {
	c, err := JoinCore(inst, with, store, log)
	if err != nil {
		return nil, nil, err
	}
	blobs, dir, err := a.blobs(inst.Server.Blobs)
	if err != nil {
		_ = c.Close() // nothing was written
		return nil, nil, err
	}
	// Each state has its own folder, so two states that name one place do not sweep each other's blobs.
	if blobs != nil {
		blobs = core.ExplainBlobs(blobs.In(store.ID()))
		if dir != "" {
			dir = filepath.Join(dir, store.ID())
		}
		c.ShareIn(blobs.In("fetches"), dir)
	}
	return c, blobs, nil
}

// blobs opens a place for blobs; dir is its folder, if it is one.
func (a *App) blobs(b config.Blobs) (s blob.Store, dir string, err error) {
	switch {
	case b.At == "":
		return nil, "", nil
	case !strings.Contains(b.At, "://"):
		return blob.InFolder(b.At), b.At, nil
	}
	o := bucket.Options{URL: b.At, Endpoint: b.Endpoint, Region: b.Region}
	for name, into := range map[string]*string{b.AccessKeyEnv: &o.AccessKey, b.SecretKeyEnv: &o.SecretKey} {
		if name == "" {
			continue
		}
		if *into = a.Getenv(name); *into == "" {
			return nil, "", &api.Error{Code: api.CodeConfig, Message: "the variable " + name + " is not set; it holds a key for server.blobs",
				Hint: "Set it, or name another one in server.blobs."}
		}
	}
	store, err := bucket.Open(o)
	if err != nil {
		return nil, "", err
	}
	return blob.InBucket(store), "", nil
}

// JoinCore opens an instance's sources and combines them with its state.
func JoinCore(inst *config.Instance, with registry.With, store *state.Store, log *slog.Logger) (*core.Core, error) {
	with.KeptDir, with.Log = filepath.Join(inst.Server.StateDir, "footers"), log
	sources, err := registry.Open(inst, with)
	if err != nil {
		_ = store.Close() // nothing was written to it
		return nil, err
	}
	return core.New(inst, sources, store, log), nil
}
