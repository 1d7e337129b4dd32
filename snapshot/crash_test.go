package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// follower notes which snapshots an After was told of, in a file below home.
func follower(home string) After {
	return func(live []Meta) error {
		var b strings.Builder
		for _, m := range live {
			fmt.Fprintf(&b, "%s=%s ", m.Name, m.ContentHash)
		}
		return os.WriteFile(filepath.Join(home, "derived"), []byte(b.String()), 0o600)
	}
}

func derived(t *testing.T, home string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(home, "derived"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// childInstall fetches "new" over whatever there is and dies on the way.
func childInstall(args []string) error {
	home, step := args[0], args[1]
	s, err := Open(home, dieAt(step))
	if err != nil {
		return err
	}
	c, err := s.Claim("a", true)
	if err != nil {
		return err
	}
	defer c.Release()
	if err := fill(c.Temp(), "new"); err != nil {
		return err
	}
	_, _, err = c.Install(context.Background(), described("new"), follower(home))
	return err
}

func childDrop(args []string) error {
	s, err := Open(args[0], dieAt(args[1]))
	if err != nil {
		return err
	}
	_, err = s.Drop("a", follower(args[0]))
	return err
}

func childPrune(args []string) error {
	s, err := Open(args[0], dieAt(args[1]))
	if err != nil {
		return err
	}
	_, err = s.Prune(PrunePolicy{All: true}, false, follower(args[0]))
	return err
}

func childKeep(args []string) error {
	s, err := Open(args[0], dieAt(args[1]))
	if err != nil {
		return err
	}
	c, err := s.ClaimExisting("a")
	if err != nil {
		return err
	}
	m := described("old")
	m.RequestID = "kept"
	_, err = c.Keep(context.Background(), m)
	return err
}

// childLink holds "a" and dies without letting go.
func childLink(args []string) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	if _, err := s.Link([]string{"a"}); err != nil {
		return err
	}
	dieAt("")(s)
	s.step("")
	return nil
}

// dies runs a child that must not survive.
func dies(t *testing.T, part string, args ...string) {
	t.Helper()
	cmd := child(part, args...)
	if err := cmd.Run(); err == nil || !killed(cmd) {
		t.Fatalf("the child was to die at %v, but ended with %v", args[1:], cmd.ProcessState)
	}
}

var installSteps = []string{
	store.StepTempSynced, store.StepDataRenamed, store.StepDataSynced, store.StepRecordStaged, store.StepRecordCommitted,
	store.StepRecordSynced, store.StepLinkStaged, store.StepLinked, store.StepOldRemoved, stepFollowed,
}

func TestACrashDuringInstallLeavesOldOrNew(t *testing.T) {
	for i, step := range installSteps {
		for _, old := range []string{"", "old"} {
			t.Run(step+"/over "+old, func(t *testing.T) {
				home := t.TempDir()
				if old != "" {
					mustPut(t, mustOpen(t, home), "a", old)
				}
				dies(t, "install", home, step)
				want := old
				if i >= slices.Index(installSteps, store.StepRecordCommitted) {
					want = "new"
				}
				wantAfterCrash(t, home, want)
				// The name is free again.
				mustPut(t, mustOpen(t, home), "a", "next")
				wantAfterCrash(t, home, "next")
			})
		}
	}
}

// wantAfterCrash opens the store as the next command does, and wants one whole
// snapshot with this content, or none if it is empty, and nothing else.
func wantAfterCrash(t *testing.T, home, want string) {
	t.Helper()
	s := mustOpen(t, home)
	if err := s.CatchUp(follower(home)); err != nil {
		t.Fatal(err)
	}
	metas, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metas {
		if m.Damage != nil {
			t.Errorf("%s is damaged: %v", m.Name, m.Damage)
		}
	}
	got, readErr := read(s, "a")
	extra := []string{}
	if _, err := os.Lstat(filepath.Join(home, "derived")); err == nil {
		extra = append(extra, "derived")
	}
	if want == "" {
		wantCode(t, readErr, api.CodeUnknownSnapshot)
		if len(metas) != 0 {
			t.Errorf("listed: %+v, want nothing", metas)
		}
		wantTree(t, home, holding(nil, extra...))
		return
	}
	if readErr != nil || got != want || len(metas) != 1 || metas[0].ContentHash != want {
		t.Errorf("read %q, %v; listed %+v; want %q", got, readErr, metas, want)
	}
	if text, err := contentOf(s.files.LinkPath("a")); err != nil || text != want {
		t.Errorf("through the link: %q, %v; want %q", text, err, want)
	}
	wantTree(t, home, holding([]string{"a"}, append(extra, ".used/a")...))
}

func TestACrashDuringDropLeavesOldOrNothing(t *testing.T) {
	for _, part := range []string{"drop", "prune"} {
		for _, step := range []string{store.StepRecordRemoved, store.StepRemovalSynced, store.StepUseForgotten, store.StepUnlinked, store.StepDataRemoved, stepFollowed} {
			t.Run(part+"/"+step, func(t *testing.T) {
				home := t.TempDir()
				s := mustOpen(t, home)
				mustPut(t, s, "a", "old")
				if _, err := read(s, "a"); err != nil {
					t.Fatal(err)
				}
				dies(t, part, home, step)
				wantAfterCrash(t, home, "")
			})
		}
	}
}

func TestACrashDuringKeepLeavesTheDataDescribed(t *testing.T) {
	for _, step := range []string{store.StepRecordStaged, store.StepRecordCommitted} {
		t.Run(step, func(t *testing.T) {
			home := t.TempDir()
			mustPut(t, mustOpen(t, home), "a", "old")
			dies(t, "keep", home, step)
			wantAfterCrash(t, home, "old")
			m, err := mustOpen(t, home).Get("a")
			if kept := m.RequestID == "kept"; err != nil || kept != (step == store.StepRecordCommitted) {
				t.Errorf("after %s: %+v, %v", step, m, err)
			}
		})
	}
}

func TestADeadReaderIsSwept(t *testing.T) {
	home := t.TempDir()
	mustPut(t, mustOpen(t, home), "a", "old")
	dies(t, "link", home, "")
	if n := len(tree(t, home)); n != len(holding([]string{"a"}, ".used/a"))+3 {
		t.Fatalf("%d entries: the reader left nothing to sweep", n)
	}
	wantAfterCrash(t, home, "old")
}

// TestWhatIsDerivedCatchesUp shows that an After that was cut off, or failed,
// is due until it succeeds, and is told of everything.
func TestWhatIsDerivedCatchesUp(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "b", "b")
	for _, step := range []string{store.StepRecordCommitted, store.StepOldRemoved} {
		dies(t, "install", home, step)
		if got := derived(t, home); got != "" {
			t.Fatalf("derived %q before the crash", got)
		}
	}
	failing := func([]Meta) error { return errors.New("no luck") }
	if err := s.CatchUp(failing); err == nil {
		t.Error("a failure was kept quiet")
	}
	if warnings, err := s.Drop("b", failing); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "no luck") {
		t.Errorf("drop: %v, %v; want a warning", warnings, err)
	}
	if err := mustOpen(t, home).CatchUp(follower(home)); err != nil || derived(t, home) != "a=new " {
		t.Errorf("derived %q, %v; want what there is", derived(t, home), err)
	}
	called := false
	if err := s.CatchUp(func([]Meta) error { called = true; return nil }); err != nil || called {
		t.Errorf("nothing is due, but it ran: %v, %v", called, err)
	}
}
