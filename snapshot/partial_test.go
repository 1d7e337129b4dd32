package snapshot

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// leavePart leaves what a killed fetch of a name has received.
func leavePart(t *testing.T, s *Store, name, request string) {
	t.Helper()
	c, err := s.Claim(name, true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	p := c.Partial(request)
	if err := p.Begin(PartialNote{Tag: "tag", Begun: time.Unix(7, 0)}); err != nil {
		t.Fatal(err)
	}
	f, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("what came"); err != nil {
		t.Fatal(err)
	}
}

func partsIn(t *testing.T, home string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(home, snapshotsDir, partialDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// TestAPartIsOfItsRequestAlone: another request, a damaged note and a missing
// file leave nothing to go on with, and nothing on the disk.
func TestAPartIsOfItsRequestAlone(t *testing.T) {
	for what, c := range map[string]struct {
		request string
		damage  func(dir string) error
		kept    bool
	}{
		"the same request": {"una", func(string) error { return nil }, true},
		"another request":  {"ben", func(string) error { return nil }, false},
		"half a note": {"una", func(dir string) error {
			return os.Truncate(filepath.Join(dir, "t"+partialNote), 9)
		}, false},
		"no file": {"una", func(dir string) error { return os.Remove(filepath.Join(dir, "t"+partialExt)) }, false},
		"a link in its place": {"una", func(dir string) error {
			path := filepath.Join(dir, "t"+partialExt)
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink("/etc/hostname", path)
		}, false},
	} {
		home := t.TempDir()
		s, err := Open(home)
		if err != nil {
			t.Fatal(err)
		}
		leavePart(t, s, "t", "una")
		if err := c.damage(filepath.Join(home, snapshotsDir, partialDir)); err != nil {
			t.Fatal(err)
		}
		claim, err := s.Claim("t", true)
		if err != nil {
			t.Fatal(err)
		}
		p := claim.Partial(c.request)
		if kept := p.Tag == "tag" && p.Size == 9 && p.Begun.Equal(time.Unix(7, 0)); kept != c.kept {
			t.Errorf("%s: %+v", what, p)
		}
		if left := partsIn(t, home); (len(left) == 2) != c.kept {
			t.Errorf("%s: left %v", what, left)
		}
		claim.Release()
	}
}

// TestOldPartsAreSwept: only those that are too old, and that nobody fetches.
func TestOldPartsAreSwept(t *testing.T) {
	home := t.TempDir()
	now := time.Now()
	s, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	leavePart(t, s, "t", "una")
	if _, err := Open(home, at(now.Add(partialFor/2))); err != nil || len(partsIn(t, home)) != 2 {
		t.Fatalf("a young part was swept: %v, %v", partsIn(t, home), err)
	}
	later := at(now.Add(2 * partialFor))
	claim, err := s.Claim("t", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(home, later); err != nil || len(partsIn(t, home)) != 2 {
		t.Fatalf("a part was swept that is being fetched: %v, %v", partsIn(t, home), err)
	}
	claim.Release()
	if _, err := Open(home, later); err != nil || len(partsIn(t, home)) != 0 {
		t.Errorf("left: %v, %v", partsIn(t, home), err)
	}
}
