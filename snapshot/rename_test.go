package snapshot

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

func childRename(args []string) error {
	s, err := Open(args[0], dieAt(args[1]))
	if err != nil {
		return err
	}
	_, _, err = s.Rename(context.Background(), "b", "a", true, follower(args[0]))
	return err
}

func childCopy(args []string) error {
	s, err := Open(args[0], dieAt(args[1]))
	if err != nil {
		return err
	}
	_, _, err = s.Copy(context.Background(), "b", "a", true, follower(args[0]))
	return err
}

func childLabel(args []string) error {
	s, err := Open(args[0], dieAt(args[1]))
	if err != nil {
		return err
	}
	_, err = s.Label(context.Background(), "a", func(l *Labels) { l.Note = "new" })
	return err
}

func childPack(args []string) error {
	s, err := Open(args[0], dieAt(args[1]))
	if err != nil {
		return err
	}
	_, err = s.Pack(context.Background(), "a", filepath.Join(args[0], "packed"))
	return err
}

func noted(note string, tags ...string) func(*Meta) {
	return func(m *Meta) { m.Labels = Labels{Note: note, Tags: tags} }
}

// wantRead wants a content under a name; empty: no snapshot of that name.
func wantRead(t *testing.T, s *Store, name, want string) {
	t.Helper()
	got, err := read(s, name)
	if want == "" {
		wantCode(t, err, api.CodeUnknownSnapshot)
	} else if err != nil || got != want {
		t.Errorf("%s: read %q, %v; want %q", name, got, err, want)
	}
}

func TestRenameAndCopy(t *testing.T) {
	ctx, home := context.Background(), t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "rows", noted("for the auditors", "y2026"))
	mustPut(t, s, "taken", "other")
	copied, warnings, err := s.Copy(ctx, "a", "b", false, follower(home))
	if err != nil || len(warnings) > 0 || copied.Name != "b" || copied.Note != "for the auditors" || !copied.Tagged("y2026") {
		t.Fatalf("%+v, %v, %v", copied, warnings, err)
	}
	wantRead(t, s, "a", "rows")
	wantRead(t, s, "b", "rows")
	renamed, _, err := s.Rename(ctx, "a", "c", false, follower(home))
	if err != nil || renamed.Name != "c" || renamed.FetchedAt != copied.FetchedAt {
		t.Fatalf("%+v, %v", renamed, err)
	}
	wantRead(t, s, "a", "")
	wantRead(t, s, "c", "rows")
	if got := derived(t, home); got != "b=rows c=rows taken=other " {
		t.Errorf("derived %q", got)
	}
	for _, change := range []func(context.Context, string, string, bool, After) (Meta, []string, error){s.Copy, s.Rename} {
		_, _, err = change(ctx, "b", "taken", false, nil)
		wantCode(t, err, api.CodeSnapshotExists)
		_, _, err = change(ctx, "nothere", "d", false, nil)
		wantCode(t, err, api.CodeUnknownSnapshot)
		_, _, err = change(ctx, "b", "b", true, nil)
		wantCode(t, err, api.CodeUsage)
		_, _, err = change(ctx, "b", "../d", true, nil)
		wantCode(t, err, api.CodeInvalidName)
	}
	busy, err := s.Claim("b", true)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Rename(ctx, "b", "d", false, nil)
	wantCode(t, err, api.CodeSnapshotBusy)
	busy.Release()
	if _, _, err := s.Rename(ctx, "b", "taken", true, nil); err != nil {
		t.Fatal(err)
	}
	wantRead(t, s, "taken", "rows")
	wantTree(t, home, holding([]string{"c", "taken"}, "derived", ".used/c", ".used/taken"))
}

// TestACopyOutlivesWhatItIsOf: both names share a file on the disk, which neither
// a refresh nor a drop of one may change for the other.
func TestACopyOutlivesWhatItIsOf(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustPut(t, s, "a", "rows")
	if _, _, err := s.Copy(context.Background(), "a", "b", false, nil); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "a", "later")
	wantRead(t, s, "b", "rows")
	if _, err := s.Drop("a", nil); err != nil {
		t.Fatal(err)
	}
	wantRead(t, s, "b", "rows")
}

// TestACrashDuringRenameLosesNothing: the rows are under the old name, under both,
// or under the new one, and the same call again ends it.
func TestACrashDuringRenameLosesNothing(t *testing.T) {
	steps := append(slices.Clone(installSteps), store.StepRecordRemoved, store.StepDataRemoved)
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			home := t.TempDir()
			mustPut(t, mustOpen(t, home), "b", "rows")
			dies(t, "rename", home, step)
			s := mustOpen(t, home)
			_, errOld := read(s, "b")
			_, errNew := read(s, "a")
			if errOld != nil && errNew != nil {
				t.Fatalf("the rows are gone: %v, %v", errOld, errNew)
			}
			if errOld == nil {
				if _, _, err := s.Rename(context.Background(), "b", "a", false, follower(home)); err != nil {
					t.Fatal(err)
				}
			}
			wantRead(t, s, "b", "")
			_ = os.Remove(s.files.UsedPath("b")) // of the look before
			wantAfterCrash(t, home, "rows")
		})
	}
}

func TestACrashDuringCopyLeavesNothingHalf(t *testing.T) {
	for i, step := range installSteps {
		t.Run(step, func(t *testing.T) {
			home := t.TempDir()
			mustPut(t, mustOpen(t, home), "b", "rows")
			dies(t, "copy", home, step)
			s := mustOpen(t, home)
			wantRead(t, s, "b", "rows")
			want := ""
			if i >= slices.Index(installSteps, store.StepRecordCommitted) {
				want = "rows"
			}
			wantRead(t, s, "a", want)
		})
	}
}

func TestLabels(t *testing.T) {
	ctx, home := context.Background(), t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "rows")
	m, err := s.Label(ctx, "a", func(l *Labels) { l.Note, l.Tags = " sent on Monday\n", []string{"q2", "audit", "q2"} })
	if err != nil || m.Note != "sent on Monday" || strings.Join(m.Tags, " ") != "audit q2" {
		t.Fatalf("%+v, %v", m, err)
	}
	wantRead(t, s, "a", "rows")
	// A refresh keeps them, whatever it found; a new snapshot of the name has none.
	c, err := s.ClaimExisting("a")
	if err != nil {
		t.Fatal(err)
	}
	if m, err = c.Keep(ctx, described("rows")); err != nil || m.Note == "" {
		t.Errorf("%+v, %v", m, err)
	}
	if err := fill(c.Temp(), "later"); err != nil {
		t.Fatal(err)
	}
	if m, _, err = c.Install(ctx, described("later"), nil); err != nil || !m.Tagged("audit") {
		t.Errorf("%+v, %v", m, err)
	}
	c.Release()
	for _, wrong := range []Labels{{Note: strings.Repeat("n", maxNote+1)}, {Tags: []string{"no tag"}}} {
		if _, err := s.Label(ctx, "a", func(l *Labels) { *l = wrong }); err == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
	mustPut(t, s, "a", "new")
	if m, err = s.Get("a"); err != nil || m.Note != "" || m.Tags != nil {
		t.Errorf("%+v, %v", m, err)
	}
	for _, step := range []string{store.StepRecordStaged, store.StepRecordCommitted} {
		dies(t, "label", home, step)
		if m, err = mustOpen(t, home).Get("a"); err != nil || (m.Note == "new") != (step == store.StepRecordCommitted) {
			t.Errorf("after %s: %+v, %v", step, m, err)
		}
	}
}

func TestAFolderForAnotherMachine(t *testing.T) {
	ctx, here, dir := context.Background(), mustOpen(t, t.TempDir()), filepath.Join(t.TempDir(), "packed")
	mustPut(t, here, "a", "rows", noted("checked", "q2"), func(m *Meta) { m.Provenance = &api.Provenance{Version: "v1", Rights: "r1"} })
	if _, err := here.Pack(ctx, "a", dir); err != nil {
		t.Fatal(err)
	}
	_, err := here.Pack(ctx, "a", dir)
	wantCode(t, err, api.CodeTargetExists)

	there := mustOpen(t, t.TempDir())
	unpack := func() (Meta, error) {
		c, err := there.Claim("b", true)
		if err != nil {
			return Meta{}, err
		}
		defer c.Release()
		m, err := c.Unpack(ctx, dir)
		if err != nil {
			return Meta{}, err
		}
		m, _, err = c.Install(ctx, m, nil)
		return m, err
	}
	m, err := unpack()
	if err != nil || m.Note != "checked" || m.Provenance != nil || m.TableID != "flights" {
		t.Fatalf("%+v, %v", m, err)
	}
	wantRead(t, there, "b", "rows")

	// What is not as it was written is refused.
	data, sidecar := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "a.meta.json")
	text, err := os.ReadFile(sidecar)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"other rows": func() error { return fill(data, "other rows") },
		"a link":     func() error { _ = os.Remove(data); return os.Symlink("/etc/hostname", data) },
		"no rows":    func() error { return os.Remove(data) },
		"another's description": func() error {
			return os.WriteFile(sidecar, []byte(strings.Replace(string(text), `"name": "a"`, `"name": "../a"`, 1)), 0o600)
		},
		"two descriptions": func() error { return os.WriteFile(filepath.Join(dir, "c.meta.json"), text, 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if m, err := unpack(); !api.CodeReadFailed.Is(err) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		_ = os.Remove(filepath.Join(dir, "c.meta.json"))
		_ = os.Remove(data)
		if err := os.WriteFile(sidecar, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := fill(data, "rows"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := unpack(); err != nil {
		t.Error(err)
	}
}

func TestACrashDuringPackLeavesNoFolder(t *testing.T) {
	for _, step := range []string{stepPackedData, stepPacked} {
		home := t.TempDir()
		mustPut(t, mustOpen(t, home), "a", "rows")
		dies(t, "pack", home, step)
		target := filepath.Join(home, "packed")
		if _, err := os.Lstat(target); err == nil {
			t.Errorf("after %s: there is a folder", step)
		}
		if _, err := mustOpen(t, home).Pack(context.Background(), "a", target); err != nil {
			t.Error(err)
		}
		if m, err := ReadPacked(target); err != nil || m.Name != "a" {
			t.Errorf("after %s: %+v, %v", step, m, err)
		}
		left, _ := filepath.Glob(filepath.Join(home, ".da-out-*"))
		if len(left) > 0 {
			t.Errorf("after %s: left %v", step, left)
		}
	}
}
