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

// Read reads the model at a path: dbt's semantic manifest or the folder that has it, or
// else a file in the specification of Apache Ossie, or a folder of such files. The error
// has CodeConfig.
func Read(path string) (*api.SemanticModel, error) {
	files, isDBT := filesOf(path)
	if isDBT {
		return dbt.Read(files[0])
	}
	return ossie.Read(files...)
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

// filesOf lists the files that are read. A path that leads nowhere is dbt's: its folder
// may not have been written yet.
func filesOf(path string) (files []string, isDBT bool) {
	names, err := os.ReadDir(path)
	if err != nil {
		return []string{path}, filepath.Base(path) == dbt.SemanticManifest || !ossie.Is(path)
	}
	for _, e := range names {
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) && !e.IsDir() {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if at := filepath.Join(path, dbt.SemanticManifest); slices.Contains(files, at) || len(files) == 0 {
		return []string{at}, true
	}
	return files, false
}
