// Package demo holds a small instance to try da on: real flights and airports,
// embedded in the program, with an instance file that describes them. It only
// writes them to a folder; what is then shown is the command's business.
package demo

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// InstanceFile is the name of the instance file in the folder that Write makes.
const InstanceFile = "instance.yaml"

//go:embed instance.yaml dashboards data model
var files embed.FS

// StateDir is where the instance keeps its state, below the folder that Write
// fills: a name that nobody else's state has.
const StateDir = "demo-state"

// Write puts the instance into dir, which it makes if need be. What is there
// already as it should be stays; a file of another content is never replaced:
// then the error is CodeTargetExists and nothing has been written. The
// instance file comes last, so that where it is the data is too.
func Write(dir string) error {
	missing, err := compare(dir)
	if err != nil {
		return err
	}
	for _, name := range missing {
		if err := put(dir, name); err != nil {
			return atomicfile.Explain("write the demo's data", err)
		}
	}
	return nil
}

// compare returns the embedded files that dir lacks, the instance file last.
func compare(dir string) (missing []string, err error) {
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		want, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		have, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, name)
		case err != nil:
			return atomicfile.Explain("look for the demo's data", err)
		case !bytes.Equal(have, want):
			return &api.Error{
				Code:    api.CodeTargetExists,
				Message: fmt.Sprintf("%s is there already, and is not the demo's", path),
				Hint:    "Name another folder, or remove that file.",
			}
		}
		return nil
	})
	return missing, err // WalkDir goes by name: data comes before instance.yaml
}

func put(dir, name string) error {
	data, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteFile(path, data, 0o644)
}
