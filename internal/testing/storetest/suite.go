package storetest

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/agnes-data/da/internal/disk/store"
)

// survivesKills kills a process after each step of a first put, of one that
// replaces, and of a drop.
func (o Owner) survivesKills(t *testing.T) {
	clean := o.cleanTree(t)
	for _, c := range []struct{ part, old string }{{"put", ""}, {"put", "old"}, {"drop", "old"}} {
		for n := 1; o.dies(t, c.part, c.old, n, clean); n++ {
			if n > 100 {
				t.Fatal("there is no end of steps")
			}
		}
	}
}

// dies reports whether the change has that many steps.
func (o Owner) dies(t *testing.T, part, old string, n int, clean []string) bool {
	t.Helper()
	home := t.TempDir()
	if old != "" {
		must(t, "put", o.mustOpen(t, home).Put("a", old))
	}
	cmd := child(t, part, home, strconv.Itoa(n))
	out, err := cmd.Output()
	var done []string
	steps(bytes.NewReader(out), func(name string) { done = append(done, name) })
	if err == nil {
		if want := map[string]int{"put": 3, "drop": 1}[part]; n <= want {
			t.Errorf("%s over %q has only %d steps", part, old, n-1)
		}
		return false
	}
	if !killed(err) {
		t.Fatalf("%s was to be killed at step %d, and ended with %v: %s", part, n, err, out)
	}
	defer func() {
		if t.Failed() {
			t.Fatalf("after a kill in %s over %q at %v", part, old, done)
		}
	}()
	s := o.mustOpen(t, home)
	wantText(t, s, "a", o.afterKill(part, old, done)...)
	if err := s.Sweep(); err != nil {
		t.Errorf("sweep: %v", err)
	}
	wantText(t, s, "a", o.afterKill(part, old, done)...)
	must(t, "put at once", s.Put("a", "next"))
	wantText(t, s, "a", "next")
	o.wantTidy(t, home, clean)
	return true
}

// afterKill says what may be there: the record's rename decides.
func (o Owner) afterKill(part, old string, done []string) []string {
	changed, become := slices.Contains(done, store.StepRecordCommitted), "new"
	if part == "drop" {
		changed, become = slices.Contains(done, store.StepRecordRemoved), ""
	}
	switch {
	case o.Derived && part == "put":
		return []string{"", "new"}
	case o.Derived:
		return []string{"", old}
	case changed:
		return []string{become}
	}
	return []string{old}
}

// sweepsBesideAWriter sweeps at each step of a process that goes on then.
func (o Owner) sweepsBesideAWriter(t *testing.T) {
	home := t.TempDir()
	must(t, "put", o.mustOpen(t, home).Put("a", "old"))
	cmd := child(t, "step by step", home, "")
	in, err := cmd.StdinPipe()
	must(t, "start", err)
	out, err := cmd.StdoutPipe()
	must(t, "start", err)
	must(t, "start", cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	n := 0
	steps(out, func(name string) {
		n++
		s, err := o.Open(home, func(string) {})
		if err == nil {
			err = s.Sweep()
		}
		if err != nil && !o.busy(err) {
			t.Errorf("at %s: %v", name, err)
		}
		_, _ = fmt.Fprintln(in)
	})
	must(t, "the writer", cmd.Wait())
	if n < 3 {
		t.Errorf("it had only %d steps", n)
	}
	wantText(t, o.mustOpen(t, home), "a", "new")
	o.wantTidy(t, home, o.cleanTree(t))
}

func (o Owner) sharedByProcesses(t *testing.T) {
	home := t.TempDir()
	var all []*exec.Cmd
	for i := range 3 {
		cmd := child(t, "churn", home, "p"+strconv.Itoa(i))
		var said bytes.Buffer
		cmd.Stdout = &said
		must(t, "start", cmd.Start())
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("process %d: %s", i, said.String())
			}
		})
		all = append(all, cmd)
	}
	for i, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	s := o.mustOpen(t, home)
	must(t, "put", s.Put("a", "next"))
	wantText(t, s, "a", "next")
	o.wantTidy(t, home, o.cleanTree(t))
}

func (o Owner) survivesAFullDisk(t *testing.T) {
	home := t.TempDir()
	must(t, "put", o.mustOpen(t, home).Put("a", "old"))
	if out, err := child(t, "full disk", home, "").Output(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := o.mustOpen(t, home)
	if !o.Derived {
		wantText(t, s, "a", "old")
	}
	must(t, "put", s.Put("a", "next"))
	wantText(t, s, "a", "next")
	o.wantTidy(t, home, o.cleanTree(t))
}

// readersHold replaces, drops and sweeps what a reader holds.
func (o Owner) readersHold(t *testing.T) {
	home := t.TempDir()
	s := o.mustOpen(t, home)
	h, ok := s.(Holder)
	if !ok {
		return // its readers read all at once
	}
	must(t, "put", s.Put("a", "old"))
	read, release, err := h.Hold("a")
	must(t, "hold", err)
	for what, change := range map[string]func() error{
		"put": func() error { return s.Put("a", "new") }, "drop": func() error { return s.Drop("a") },
		"sweep": func() error { return o.mustOpen(t, home).Sweep() },
	} {
		must(t, what, change())
		if text, err := read(); err != nil || text != "old" {
			t.Errorf("after a %s the reader reads %q, %v", what, text, err)
		}
	}
	release()
	must(t, "put", s.Put("a", "old"))
	if err := child(t, "hold", home, "").Run(); !killed(err) {
		t.Fatalf("a reader was to be killed, and ended with %v", err)
	}
	o.wantTidy(t, home, o.cleanTree(t))
}

// replacedUnderAReader replaces an entry between a reader's look at the record
// and the one at its data.
func (o Owner) replacedUnderAReader(t *testing.T) {
	home := t.TempDir()
	other, armed := o.mustOpen(t, home), false
	must(t, "put", other.Put("a", "old"))
	s, err := o.Open(home, func(name string) {
		if name == store.StepRecordRead && armed {
			armed = false
			must(t, "replace", other.Put("a", "new"))
		}
	})
	must(t, "open", err)
	armed = true
	wantText(t, s, "a", "old", "new")
}

func (o Owner) isPrivate(t *testing.T) {
	if out, err := child(t, "private", t.TempDir(), "").Output(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
