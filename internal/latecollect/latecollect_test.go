package latecollect

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestTheUsualPaceComesBack checks that one collection ends the delay.
func TestTheUsualPaceComesBack(t *testing.T) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("GOGC or GOMEMLIMIT is set, which switches the delay off")
	}
	runtime.GC()
	for percent := firstPercent; percent != 100; { // the cleanup runs in a goroutine of its own
		runtime.Gosched()
		percent = debug.SetGCPercent(-1)
		debug.SetGCPercent(percent)
	}
}

// TestAShortRunIsNotCollected allocates what a start of da allocates in a
// process of its own, and counts the collections.
func TestAShortRunIsNotCollected(t *testing.T) {
	if os.Getenv("DA_TEST_ALLOCATE") != "" {
		for range 64 {
			kept = append(kept, make([]byte, 128<<10))
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestAShortRunIsNotCollected$")
	cmd.Env = append(os.Environ(), "DA_TEST_ALLOCATE=1", "GODEBUG=gctrace=1", "GOGC=", "GOMEMLIMIT=")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "gc 1 @") {
		t.Errorf("%v\n%s", err, out)
	}
}

var kept [][]byte
