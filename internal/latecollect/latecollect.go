// Package latecollect lets a short command end before the garbage collector
// first runs. A binary of this size allocates some 3 MB while it starts, which
// is just enough to start a collection that frees next to nothing and takes a
// fifth of the CPU time of 'da version'.
//
// Import it for its effect, from main alone. It depends on little, so that it
// is initialised before the packages that allocate.
package latecollect

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstPercent makes the first collection start at a heap of 16 MB: Go starts
// it at 4 MB × GOGC / 100.
const firstPercent = 400

// sentinel is garbage from its first moment. Its cleanup tells that a
// collection has ended. It holds a pointer, since small objects without one
// share a block that may outlive them.
type sentinel struct{ _ *sentinel }

func init() { //nolint:gochecknoinits // it has to come before main
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return // the user decides
	}
	usual := debug.SetGCPercent(firstPercent)
	runtime.AddCleanup(&sentinel{}, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
