// Package latecollect delays the first garbage collection, so that a short
// command ends before it. A binary of this size allocates about 3 MB during its
// start, which is just enough to trigger a collection that frees almost nothing
// and takes a fifth of the CPU time of 'da version'.
//
// Import it for its side effect, and only in main. It has few dependencies, so it
// is initialized before the packages that allocate.
package latecollect

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstPercent makes the first collection start at a heap of 16 MB: Go starts it
// at 4 MB × GOGC / 100.
const firstPercent = 400

// sentinel is an object that is garbage from the start. Its cleanup signals that
// a collection has ended. It contains a pointer, because small objects without
// pointers share a block that may outlive them.
type sentinel struct{ _ *sentinel }

func init() { //nolint:gochecknoinits // it has to come before main
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return // the user decides
	}
	usual := debug.SetGCPercent(firstPercent)
	runtime.AddCleanup(&sentinel{}, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
