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

	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source/registry"
)

// origin is what the environment says of this run.
type origin client.Origin

// local is the user of an embedded server with this origin.
func (o origin) local() core.Principal {
	who := core.LocalAdmin
	who.Agent, who.Session = o.Agent, o.Session
	who.MaxScanBytes, who.SessionBudget = o.MaxScanBytes, o.SessionBudget
	return who
}

// nameSession makes this run, and what it starts, a session of its own if there is
// a budget for a session and none is named. Else the budget would bind nothing.
func (a *App) nameSession() {
	if a.Getenv(config.EnvSessionBudget) != "" && strings.TrimSpace(a.Getenv(config.EnvSession)) == "" {
		a.Setenv(config.EnvSession, "run-"+rand.Text())
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

// origin reads flags and environment.
func (a *App) origin() (origin, error) {
	o := origin{Agent: AgentName(a.Getenv), Session: strings.TrimSpace(a.Getenv(config.EnvSession))}
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

// budget reads a number of bytes that may be 0; nil: none was given.
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

// AgentName tells by the environment which program called; empty: a person, as
// far as one can tell.
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

// openCore opens an instance for this process. Its state is where usage is
// written down; where it cannot be, only what depends on it fails.
func (a *App) openCore(inst *config.Instance, tempDir string, served, budgeted bool) (*core.Core, error) {
	if !served {
		if err := a.placeState(inst); err != nil {
			return nil, err
		}
	}
	store, err := state.Open(inst.Server.StateDir, state.InProcess())
	if err != nil && !served && !budgeted {
		a.Warn([]string{fmt.Sprintf("usage is not recorded: %v", err)})
		store, err = state.OpenMemory()
	}
	if err != nil {
		return nil, err
	}
	return JoinCore(inst, tempDir, store, slog.New(slog.DiscardHandler))
}

// placeState keeps what reading writes down below DA_HOME, so that no folder
// appears beside an instance that nobody serves. An instance that has a state,
// or names the place of one, keeps it; and what changes the state is meant for
// the one that 'da serve' uses.
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

// JoinCore opens an instance's sources and joins them with its state. Scratch
// files go below tempDir, or where the system keeps them if it is empty.
func JoinCore(inst *config.Instance, tempDir string, store *state.Store, log *slog.Logger) (*core.Core, error) {
	sources, err := registry.Open(inst, registry.With{TempDir: tempDir, Log: log})
	if err != nil {
		_ = store.Close() // nothing was written there
		return nil, err
	}
	return core.New(inst, sources, store, log), nil
}
