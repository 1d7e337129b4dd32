package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/words/printable"
)

// ChildEnv is the environment of a process of da that does a part of this run's work,
// in whatever folder: the flags of this run and its places go along as variables.
func (a *App) ChildEnv() ([]string, error) {
	home, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	set := map[string]string{config.EnvHome: home, config.EnvSession: a.Getenv(config.EnvSession), config.EnvMaxScanBytes: a.maxScan}
	for _, name := range []string{config.EnvInstance, config.EnvConfig} {
		if path := a.Getenv(name); path != "" {
			set[name] = a.Absolute(path)
		}
	}
	if a.InstancePath != "" {
		set[config.EnvInstance], set[config.EnvServer] = a.Absolute(a.InstancePath), ""
	}
	if a.ServerURL != "" {
		set[config.EnvServer] = a.ServerURL
	}
	env := os.Environ()
	for name, value := range set {
		if value != "" || name == config.EnvServer {
			env = append(env, name+"="+value)
		}
	}
	return env, nil
}

// PrintLine prints a line of a result for people.
func (a *App) PrintLine(text string) error {
	_, err := fmt.Fprintln(a.IO.Out, strings.TrimSpace(printable.Line(text)))
	return err
}

// UserFolder is a folder of the user for programs of one kind: below the folder of a
// variable, else below one of the home.
func (a *App) UserFolder(variable, inHome, below string) string {
	base := a.Getenv(variable)
	if base == "" {
		base = filepath.Join(a.Home, inHome)
	}
	return filepath.Join(base, below)
}
