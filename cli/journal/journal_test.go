package journal

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestAppend adds from many sides at once, also behind a line that a crash has left
// without its end: none is lost, and what could not be read is counted.
func TestAppend(t *testing.T) {
	t.Parallel()
	j := JournalsAt(t.TempDir())
	add := func(args ...string) {
		if err := j.Append(t.Context(), "s", Entry{Args: args}); err != nil {
			t.Error(err)
		}
	}
	add("first")
	f, err := os.OpenFile(j.file("s"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"step":2,"args":["torn`); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { add("query", strings.Repeat("x", 10_000)) })
	}
	wg.Wait()
	entries, unread, err := j.Read("s")
	if err != nil || len(entries) != 21 || unread != 1 || entries[20].Step != 21 {
		t.Errorf("%d entries, %d unread, %v", len(entries), unread, err)
	}
	if names, err := j.List(); err != nil || len(names) != 1 || names[0] != "s" {
		t.Errorf("%q, %v", names, err)
	}
	if info, err := os.Stat(filepath.Join(j.Dir, "s-s.jsonl")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestDepends keeps of a session what an answer rests on.
func TestDepends(t *testing.T) {
	t.Parallel()
	entries := []Entry{
		{Step: 1, Command: "fetch", Writes: Named{"snapshot a": "1"}},
		{Step: 2, Command: "fetch", Reads: Named{"snapshot a": "1"}, Writes: Named{"snapshot a": "2"}}, // anew
		{Step: 3, Command: "fetch", Writes: Named{"snapshot b": "1"}, ExitCode: 5},
		{Step: 4, Command: "snapshot import", Reads: Named{"file b.csv": "1"}, Writes: Named{"snapshot b": "1"}},
		{Step: 5, Command: "query", Reads: Named{"snapshot b": "1"}},
		{Step: 6, Command: "snapshot refresh", Reads: Named{"snapshot a": "2"}, Writes: Named{"snapshot a": "3"}},
		{Step: 7, Command: "query", Reads: Named{"snapshot a": "3", "file q.sql": "1"}, Bytes: 3},
	}
	for answer, want := range map[int]string{7: "2 6 7", 5: "4 5", 4: "4"} {
		var steps []string
		p := Depends(entries, answer)
		for _, e := range p.Entries {
			steps = append(steps, string(rune('0'+e.Step)))
		}
		if got := strings.Join(steps, " "); got != want {
			t.Errorf("answer %d: %s, want %s", answer, got, want)
		}
	}
	if in := Depends(entries, 7).Inputs.Keys(); len(in) != 1 || in[0] != "file q.sql" {
		t.Errorf("inputs %q", in)
	}
	if Answer(entries) != 7 {
		t.Error("the last answer is not 7")
	}
}
