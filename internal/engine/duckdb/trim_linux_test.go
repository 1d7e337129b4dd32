package duckdb

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// resident is the memory of this process of a kind, in kB.
func resident(t *testing.T, kind string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("\n"+kind+":"))
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const threads = 50

// manyThreads makes Go start threads that are idle afterwards, and returns how many
// there are now.
func manyThreads() int {
	var ready, over sync.WaitGroup
	ready.Add(threads)
	for range threads {
		over.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			ready.Wait()
		})
	}
	over.Wait()
	n, _ := runtime.ThreadCreateProfile(nil)
	return n
}

// TestTrimGivesMemoryBack: what was freed goes back, and so does the program's own
// code, of which the parts that are needed come back.
func TestTrimGivesMemoryBack(t *testing.T) {
	c := connect(t, Options{Threads: 1})
	if got := one(t, c, "SELECT count(DISTINCT hash(range)) FROM range(1000000)"); got != "1000000" {
		t.Fatal(got)
	}
	garbage := bytes.Repeat([]byte{1}, 100<<20)
	anonymous, code := resident(t, "RssAnon"), resident(t, "RssFile")
	runtime.KeepAlive(garbage)
	busy := manyThreads()
	Trim()
	if now, _ := runtime.ThreadCreateProfile(nil); now > busy-threads/2 {
		t.Errorf("of %d threads there are still %d", busy, now)
	}
	if now := resident(t, "RssAnon"); now > anonymous-(90<<10) {
		t.Errorf("of %d kB that were in use there are still %d", anonymous, now)
	}
	if now := resident(t, "RssFile"); now > code*3/4 {
		t.Errorf("of %d kB of the program there are still %d", code, now)
	}
	if got := one(t, c, "SELECT count(*) FROM range(45)"); got != "45" {
		t.Errorf("afterwards the count is %s", got)
	}
}
