package firstheap

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestTheHeapGrowsIntoHugePages looks, in a process of its own, where objects lie
// that are allocated after the start, and whether a collection ends the request for
// huge pages.
func TestTheHeapGrowsIntoHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no huge pages")
	}
	if os.Getenv("DA_TEST_HUGE") == "" {
		out := alone(t, "DA_TEST_HUGE=1")
		if !strings.Contains(out, "--- PASS") {
			t.Error(out)
		}
		return
	}
	object := make([]byte, 1<<20) // the rest of 4 MB is for what the test program allocated
	if low, high := requested(t); end(object) <= low || end(object) > high {
		t.Errorf("an object ends at %x; huge pages were requested from %x to %x", end(object), low, high)
	}
	runtime.GC()
	for low, _ := requested(t); low != 0; low, _ = requested(t) { // the cleanup runs in a goroutine of its own
		runtime.Gosched()
	}
}

// requested returns where the process has requested huge pages: from low to high.
func requested(t *testing.T) (low, high uintptr) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	var from, to uintptr
	for line := range strings.Lines(string(maps)) {
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok {
			if strings.Contains(flags, " hg") {
				return from, to
			}
		} else if !strings.Contains(line, "kB") {
			fmt.Sscanf(line, "%x-%x", &from, &to) // other lines leave what was
		}
	}
	return 0, 0
}
