package config

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/agnes-data/da/api"
)

// Fault is one mistake in a file. Line and Column count from 1, Column in
// characters; both are 0 if the fault concerns the whole file.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// String is the fault as compilers print them, so that editors can jump to it.
func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// Faults returns the error for the faults of one file, ordered by position; nil
// if there are no faults. Its code is CodeConfig, and its details have them under
// "faults".
func Faults(faults ...Fault) error {
	if len(faults) == 0 {
		return nil
	}
	sort.SliceStable(faults, func(i, j int) bool {
		a, b := faults[i], faults[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	e := &api.Error{Code: api.CodeConfig, Details: map[string]any{"faults": faults}}
	if len(faults) == 1 {
		e.Message = faults[0].String()
		return e
	}
	lines := make([]string, 0, len(faults)+1)
	lines = append(lines, fmt.Sprintf("%s has %d faults:", filepath.Base(faults[0].File), len(faults)))
	for _, f := range faults {
		lines = append(lines, "  "+f.String())
	}
	e.Message = strings.Join(lines, "\n")
	return e
}
