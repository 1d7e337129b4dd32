// Package firstheap prepares Go's heap for the start of the program, which is all
// that a short command consists of: initializing packages and building the tree of
// commands allocates about 4 MB. That is just enough to trigger a garbage
// collection that frees almost nothing, and it touches a thousand pages, each of
// which the kernel has to supply. So the first collection comes later, and huge
// pages are requested where the heap grows next.
//
// Import it for its side effect, and only in main. Packages are initialized in the
// order of their paths as soon as their imports are. This one imports so little
// that only packages without allocations come before it.
package firstheap

import (
	"runtime"
	"syscall"
)

// firstPercent makes the first collection start at a heap of 24 MB: Go starts it
// at 4 MB × GOGC / 100. Up to 7 MB of these are the room of takeHugePages.
const firstPercent = 600

// sentinel is an object that is garbage from the start. Its cleanup signals that
// a collection has ended. It contains a pointer, because small objects without
// pointers share a block that may outlive them.
type sentinel struct{ _ *sentinel }

func init() { //nolint:gochecknoinits // it has to come before what allocates, and so before main
	if isSet("GOGC") || isSet("GOMEMLIMIT") {
		return // the user decides
	}
	usual := setGCPercent(firstPercent)
	giveBack := takeHugePages()
	runtime.AddCleanup(&sentinel{}, func(percent int32) {
		setGCPercent(percent)
		giveBack()
	}, usual)
}

func isSet(name string) bool {
	value, _ := syscall.Getenv(name)
	return value != ""
}
