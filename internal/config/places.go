package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
)

// Places says where one user's files are, for one working folder. The zero value
// knows no places.
type Places struct {
	// Getenv looks up the environment; required.
	Getenv func(string) string
	// Home is the user's home folder; may be empty.
	Home string
	// Dir is the working folder, absolute; required.
	Dir string
}

// Data returns the folder of snapshots, caches and synced tables. It need not
// exist.
func (p Places) Data() (string, error) {
	if dir := p.Getenv(EnvHome); dir != "" {
		return p.absolute(dir), nil
	}
	return p.home(EnvHome, "agnes-data", "user")
}

// ClientConfig returns the path of the client config. It need not exist.
func (p Places) ClientConfig() (string, error) {
	file, _, err := p.clientFile()
	return file, err
}

// clientFile also says whether the user named the file.
func (p Places) clientFile() (file string, named bool, err error) {
	if file := p.Getenv(EnvConfig); file != "" {
		return p.absolute(file), true, nil
	}
	file, err = p.home(EnvConfig, ".agnes", "config")
	return file, false, err
}

// TokenFile returns the path of the token file. It need not exist.
func (p Places) TokenFile() (string, error) { return p.home(EnvToken, ".agnes", "token") }

// ErrNoInstance is the reason of the error that there is no instance file.
var ErrNoInstance = errors.New("no instance file")

// Instance returns the path of the instance file: from the flag, otherwise
// DA_INSTANCE, otherwise ./instance.yaml, otherwise ~/.agnes/instance.yaml. A
// path given by flag or variable is returned even if it does not exist; of the
// others, the first existing one. The error is CodeConfig.
func (p Places) Instance(flag string) (string, error) {
	for _, named := range []string{flag, p.Getenv(EnvInstance)} {
		if named != "" {
			return p.absolute(named), nil
		}
	}
	candidates := []string{filepath.Join(p.Dir, "instance.yaml")}
	if p.Home != "" {
		candidates = append(candidates, filepath.Join(p.Home, ".agnes", "instance.yaml"))
	}
	for _, file := range candidates {
		// If a file exists but cannot be read, it is the intended one: reading it
		// gives the better error.
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return file, nil
		}
	}
	return "", &api.Error{
		Code:    api.CodeConfig,
		Err:     ErrNoInstance,
		Message: "no instance file; looked for " + strings.Join(candidates, " and "),
		Next: []api.Step{
			api.Do(api.ActionInit, "write one for a folder of files"), api.Set(api.OptionInstance, "name one"),
			api.Set(api.OptionServer, "use a server"),
		},
	}
}

func (p Places) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.Dir, path)
}

// home joins a path below the home folder; env is the variable to suggest if
// there is no home folder.
func (p Places) home(env string, parts ...string) (string, error) {
	if p.Home == "" {
		return "", &api.Error{
			Code:    api.CodeConfig,
			Message: "there is no home folder",
			Hint:    "Set HOME or " + env + ".",
		}
	}
	return filepath.Join(append([]string{p.Home}, parts...)...), nil
}
