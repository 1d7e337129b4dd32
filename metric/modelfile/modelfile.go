// Package modelfile finds out which program wrote a semantic model, and reads it.
// It understands nothing of models itself.
package modelfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric/dbt"
	"github.com/agnes-data/da/metric/ossie"
)

// Read reads the model at a path: dbt's semantic manifest or the folder that has it, a
// project of dbt or a file of it, or else a file in the specification of Apache Ossie, or a
// folder of such files. The error has CodeConfig.
func Read(path string) (*api.SemanticModel, error) {
	files, read := filesOf(path)
	return read(files...)
}

// Stamp is another text once a file of the model has changed.
func Stamp(path string) string {
	var out strings.Builder
	files, _ := filesOf(path)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintln(&out, file, info.ModTime().UnixNano(), info.Size())
		}
	}
	return out.String()
}

// filesOf lists the files that are read, and what reads them. A path that leads nowhere is
// dbt's manifest: its folder may not have been written yet.
func filesOf(path string) (files []string, read func(...string) (*api.SemanticModel, error)) {
	manifest := func(files ...string) (*api.SemanticModel, error) { return dbt.Read(files[0]) }
	names, err := os.ReadDir(path)
	switch {
	case err == nil:
	case filepath.Base(path) == dbt.SemanticManifest || !ossie.Is(path):
		return []string{path}, manifest
	case dbt.IsYAML(path) && dbt.IsProperties(path):
		return []string{path}, dbt.ReadProject
	default:
		return []string{path}, ossie.Read
	}
	for _, e := range names {
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) && !e.IsDir() {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	at := filepath.Join(path, dbt.SemanticManifest)
	if slices.Contains(files, at) {
		return []string{at}, manifest
	}
	isProject := false
	for _, folder := range []string{path, filepath.Dir(filepath.Clean(path))} {
		if _, err := os.Stat(filepath.Join(folder, dbt.ProjectFile)); err == nil {
			isProject = true
		}
	}
	if found := dbt.Files(path); isProject && len(found) > 0 {
		return found, dbt.ReadProject
	}
	if isProject || len(files) == 0 {
		return []string{at}, manifest
	}
	return files, ossie.Read
}
