// Package firstengine begins to open the engine before the program knows that it
// needs it, if the command is one that most likely will. Opening takes as long as
// all that Go does until then, and another core does it meanwhile.
//
// Import it for its side effect, and only in main, beside firstheap.
package firstengine

import (
	"os"
	"slices"
	"syscall"

	"github.com/agnes-data/da/internal/engine/duckdb/instance"
)

func init() { //nolint:gochecknoinits // it has to come before the other packages are initialized
	var limit syscall.Rlimit
	if needed(os.Args) && syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil && limit.Cur >= plentyOfFiles {
		instance.Begin()
	}
}

// plentyOfFiles is the least limit on open files at which the engine is begun early.
// With fewer, it could take those that Go needs to start, and Go would end the process
// with a stack trace.
const plentyOfFiles = 64

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
