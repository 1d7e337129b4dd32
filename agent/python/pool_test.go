//go:build linux && (amd64 || arm64)

package python

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// pool is one of two processes, with its folders below dir.
func pool(t *testing.T, dir string) *Pool {
	t.Helper()
	p := open(t).with.Pool(2, func() (string, func(), error) {
		at, err := os.MkdirTemp(dir, "p")
		return at, func() { _ = os.RemoveAll(at) }, err
	})
	t.Cleanup(p.Close)
	return p
}

// turn runs code in one turn of a conversation.
func turn(t *testing.T, p *Pool, conversation string, ran bool, code string) *Result {
	t.Helper()
	s, give, err := p.Take(conversation, ran)
	if err != nil {
		t.Fatal(err)
	}
	defer give()
	return run(t, s, code)
}

// TestVariablesStayBetweenTurns keeps the process of a conversation, ends the one
// that was idle longest where another is needed, and says so.
func TestVariablesStayBetweenTurns(t *testing.T) {
	dir := t.TempDir()
	p := pool(t, dir)
	turn(t, p, "a", false, "x = 1")
	turn(t, p, "b", false, "x = 2")
	if r := turn(t, p, "a", true, "x"); r.Text != "1" || r.Restarted {
		t.Errorf("the next turn: %+v", r)
	}
	turn(t, p, "c", false, "x = 3") // in place of b
	if r := turn(t, p, "a", true, "x"); r.Text != "1" {
		t.Errorf("a was idle shortest: %+v", r)
	}
	if r := turn(t, p, "b", true, "'x' in globals()"); r.Text != "False" || !r.Restarted {
		t.Errorf("after its process was ended: %+v", r)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 || p.live != 2 {
		t.Errorf("%d processes, folders %v", p.live, left)
	}
	p.Drop("a")
	p.Close()
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 || p.live != 0 {
		t.Errorf("after the end: %d processes, folders %v", p.live, left)
	}
	turn(t, p, "late", false, "1")
	if p.live != 0 {
		t.Error("a closed pool keeps a process")
	}
}

// TestNoMoreProcessesThanAllowed refuses one more while all belong to turns that
// run, and lets the model go on afterwards.
func TestNoMoreProcessesThanAllowed(t *testing.T) {
	p := pool(t, t.TempDir())
	var gives []func()
	for _, name := range []string{"a", "b"} {
		s, give, err := p.Take(name, false)
		if err != nil {
			t.Fatal(err)
		}
		run(t, s, "1")
		gives = append(gives, give)
	}
	s, give, err := p.Take("c", false)
	if err != nil {
		t.Fatal(err)
	}
	defer give()
	var e *api.Error
	if _, err := s.Run(t.Context(), "1"); !errors.As(err, &e) || e.Kind != "python_busy" {
		t.Fatalf("a third process: %v", err)
	}
	gives[0]()
	if r := run(t, s, "2"); r.Text != "2" {
		t.Errorf("%+v", r)
	}
	gives[1]()
}

// TestIdleProcessesEnd waits for nothing but the end of the process.
func TestIdleProcessesEnd(t *testing.T) {
	p := pool(t, t.TempDir())
	p.idle = time.Nanosecond
	ended := make(chan bool)
	folder := p.folder
	p.folder = func() (string, func(), error) {
		at, remove, err := folder()
		return at, func() { remove(); close(ended) }, err
	}
	turn(t, p, "a", false, "x = 1")
	<-ended
	p.folder = folder
	if r := turn(t, p, "a", true, "'x' in globals()"); r.Text != "False" || !r.Restarted {
		t.Errorf("%+v", r)
	}
}

// TestADeadProcessIsReplaced kills one between two turns.
func TestADeadProcessIsReplaced(t *testing.T) {
	p := pool(t, t.TempDir())
	turn(t, p, "a", false, "x = 1")
	p.mu.Lock()
	running := p.kept["a"].session.running
	p.mu.Unlock()
	if err := running.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s, give, err := p.Take("a", true)
	if err != nil {
		t.Fatal(err)
	}
	defer give()
	var e *api.Error
	if _, err := s.Run(t.Context(), "x"); !errors.As(err, &e) || e.Kind != "python_ended" {
		t.Errorf("the process is dead: %v", err)
	}
	if r := run(t, s, "'x' in globals()"); r.Text != "False" || !r.Restarted {
		t.Errorf("after it: %+v", r)
	}
}
