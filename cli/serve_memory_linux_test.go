package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/enginetest"
)

// memoryOf reads one kind of a process's memory, in kB. Anonymous memory is what the
// process holds of its own. Parts of its program files come and go with the
// system's cache.
func memoryOf(t *testing.T, pid int, file, kind string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := bytes.Cut(text, []byte("\n"+kind+":"))
	if !found {
		t.Fatalf("no %s in %s", kind, file)
	}
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAServerGivesMemoryBack holds that a server that has nothing to do takes hardly
// more after load than before: its engines are closed, and what they have freed is
// returned.
func TestAServerGivesMemoryBack(t *testing.T) {
	p := newPlace(t)
	if err := os.Mkdir(filepath.Join(p.dir, "big"), 0o700); err != nil {
		t.Fatal(err)
	}
	enginetest.Parquet(t, filepath.Join(p.dir, "big/rows.parquet"), "SELECT range AS id, hash(range) AS h, hash(range + 1) / 3 AS price, 'line ' || (range % 1000) AS line FROM range(1000000)")
	instance := filepath.Join(p.dir, "big.yaml")
	if err := os.WriteFile(instance, []byte("sources:\n  big: { type: lake, root: ./big }\ntables:\n  - { id: rows, source: big, path: rows.parquet }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, client := p.with("DA_INSTANCE=" + instance).server()
	pid := server.Process.Pid
	poll := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); !ok(); {
			if time.Now().After(deadline) {
				t.Fatalf("%s: it takes %d kB of its own", what, memoryOf(t, pid, "smaps_rollup", "Anonymous"))
			}
			<-time.After(50 * time.Millisecond)
		}
	}
	// It drops its program from memory when it gives back what only the start needed.
	most := 0
	poll("before load", func() bool {
		now := memoryOf(t, pid, "status", "RssFile")
		most = max(most, now)
		return now < most*3/4
	})
	idle := memoryOf(t, pid, "smaps_rollup", "Anonymous")
	for _, load := range [][]string{
		{"fetch", "rows", "--as", "any", "--where", "id > 10"},
		{"fetch", "rows", "--as", "ordered", "--where", "id > 20", "--order-by", "price"},
		{"query", "--remote", "SELECT count(*), sum(price) FROM rows"},
		{"fetch", "rows", "--as", "again", "--where", "id > 5"},
	} {
		client.ok(load...)
		if loaded := memoryOf(t, pid, "status", "VmHWM"); loaded < 3*idle {
			t.Errorf("%s is no load: it took %d kB at most", load, loaded)
		}
		poll(fmt.Sprint("after ", load), func() bool { return memoryOf(t, pid, "smaps_rollup", "Anonymous") < idle*7/4 })
	}
	t.Logf("%d kB of its own before load, %d after it", idle, memoryOf(t, pid, "smaps_rollup", "Anonymous"))
}
