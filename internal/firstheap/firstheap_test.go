package firstheap

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
)

// TestTheUsualPaceComesBack checks that one collection ends the delay.
func TestTheUsualPaceComesBack(t *testing.T) {
	if isSet("GOGC") || isSet("GOMEMLIMIT") {
		t.Skip("GOGC or GOMEMLIMIT is set, which switches the delay off")
	}
	runtime.GC()
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for metrics.Read(percent); percent[0].Value.Uint64() != 100; metrics.Read(percent) { // the cleanup runs in a goroutine of its own
		runtime.Gosched()
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
	out := alone(t, "DA_TEST_ALLOCATE=1", "GODEBUG=gctrace=1")
	if strings.Contains(out, "gc 1 @") {
		t.Error(out)
	}
}

var kept [][]byte

// alone runs the test again in a process that has done nothing else.
func alone(t *testing.T, environment ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), "GOGC=", "GOMEMLIMIT="), environment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
