// Package firstengine begins to open the engine before the program knows that it
// needs it, if the command is one that most likely will. Opening takes as long as
// all that Go does until then, and another core does it meanwhile.
//
// Import it for its side effect, and only in main, beside firstheap.
package firstengine

import (
	"os"
	"slices"

	"github.com/agnes-data/da/internal/duckdb/instance"
)

func init() { //nolint:gochecknoinits // it has to come before the other packages are initialized
	if needed(os.Args) {
		instance.Begin()
	}
}

// needed says whether a command line most likely runs SQL here. A wrong guess costs
// time of a processor, nothing else.
func needed(args []string) bool {
	if len(args) < 2 || !slices.Contains([]string{"query", "fetch", "shell"}, args[1]) {
		return false
	}
	return !slices.ContainsFunc(args[2:], func(arg string) bool {
		return slices.Contains([]string{"--remote", "--estimate", "--help", "-h"}, arg)
	})
}
