package sourcetest

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// ManyTables is how many tables a source lists without taking much for it.
const ManyTables = 100_000

// Many lists the tables of a source that has ManyTables of them. What that takes of the
// processor is told, and held by nothing: other tests run beside this one.
func Many(t *testing.T, list func(context.Context) ([]string, error)) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := processor()
	names, err := list(t.Context())
	took := processor() - began
	runtime.ReadMemStats(&after)
	if err != nil || len(names) != ManyTables {
		t.Fatalf("%d tables, %v", len(names), err)
	}
	// All that was allocated is more than what was there at any time.
	mb := (after.TotalAlloc - before.TotalAlloc) >> 20
	t.Logf("%d tables listed in %s of the processor, with %d MB allocated in all", len(names), took, mb)
	if mb > 150 {
		t.Errorf("listing %d tables allocated %d MB, over 150", len(names), mb)
	}
}

// processor is the time that the process has computed.
func processor() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // of one's own process it cannot fail
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
