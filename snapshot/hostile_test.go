package snapshot

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

func nothing(io.Writer) error { return nil }

// edited returns the sidecar of a with some fields changed; a nil value takes
// the field away.
func edited(t *testing.T, s *Store, change map[string]any) string {
	t.Helper()
	data, err := os.ReadFile(s.files.RecordPath("a"))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for k, v := range change {
		fields[k] = v
		if v == nil {
			delete(fields, k)
		}
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestAHostileSidecarLeadsNowhere puts sidecars in place that point outside,
// lie, or are not sidecars. Each is listed as damaged, none is read, installed
// over without --force, or deleted but by name.
func TestAHostileSidecarLeadsNowhere(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "x-0123456789abcdef.parquet")
	other := layout.DataName("b", "0123456789abcdef")
	sidecars := map[string]func(t *testing.T, s *Store) string{
		"parent":   func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"data_file": "../x"}) },
		"absolute": func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"data_file": outside}) },
		"deep": func(t *testing.T, s *Store) string {
			return edited(t, s, map[string]any{"data_file": "a-/../" + other})
		},
		"another's":  func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"data_file": other}) },
		"the link":   func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"data_file": "a.parquet"}) },
		"empty name": func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"data_file": ""}) },
		"no name":    func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"data_file": nil}) },
		"NUL": func(t *testing.T, s *Store) string {
			return edited(t, s, map[string]any{"data_file": "a-\x00.parquet"})
		},
		"other name":   func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"name": "b"}) },
		"bad table":    func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"table_id": "../x"}) },
		"negative":     func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"rows": -1}) },
		"no time":      func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"fetched_at": nil}) },
		"no version":   func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"version": nil}) },
		"wrong type":   func(t *testing.T, s *Store) string { return edited(t, s, map[string]any{"rows": "many"}) },
		"two values":   func(t *testing.T, s *Store) string { return edited(t, s, nil) + "{}" },
		"cut":          func(t *testing.T, s *Store) string { return edited(t, s, nil)[:40] },
		"empty":        func(*testing.T, *Store) string { return "" },
		"null":         func(*testing.T, *Store) string { return "null" },
		"deep nesting": func(*testing.T, *Store) string { return strings.Repeat("[", 1<<20) },
	}
	for what, make := range sidecars {
		t.Run(what, func(t *testing.T) {
			mustWrite(t, outside, "PAR1secret----PAR1")
			home := t.TempDir()
			s := mustOpen(t, home)
			mustPut(t, s, "a", "x")
			mustPut(t, s, "z", "z")
			mustWrite(t, s.files.Path("../x"), "PAR1secret----PAR1")
			mustWrite(t, s.files.RecordPath("a"), make(t, s))
			wantDamaged(t, home, api.KindSidecarInvalid)
			if text, err := os.ReadFile(outside); err != nil || string(text) != "PAR1secret----PAR1" {
				t.Errorf("outside: %q, %v", text, err)
			}
			if text, err := os.ReadFile(filepath.Join(home, "x")); err != nil || string(text) != "PAR1secret----PAR1" {
				t.Errorf("beside: %q, %v", text, err)
			}
		})
	}
}

// wantDamaged checks every method on a store in which "a" is damaged and "z"
// is not.
func wantDamaged(t *testing.T, home, kind string) {
	t.Helper()
	before := tree(t, home)
	s := mustOpen(t, home)
	if got := tree(t, home); !reflect.DeepEqual(got, before) {
		t.Errorf("an open changed %v to %v", before, got)
	}
	metas, err := s.List()
	if err != nil || len(metas) != 2 || metas[0].Name != "a" || metas[0].Damage == nil || metas[1].Damage != nil {
		t.Fatalf("listed %+v, %v", metas, err)
	}
	_, getErr := s.Get("a")
	_, linkErr := s.Link([]string{"a"})
	for _, err := range []error{metas[0].Damage, getErr, linkErr} {
		if e := asCode(t, err, api.CodeReadFailed); e.Kind != kind || len(e.Next) == 0 {
			t.Errorf("%+v: want kind %s and a hint", e, kind)
		}
	}
	_, claimErr := s.Claim("a", false)
	wantCode(t, claimErr, api.CodeSnapshotExists)
	if _, err := s.Prune(PrunePolicy{OlderThan: 1}, false, nil); err != nil {
		t.Error(err)
	}
	if kind != api.KindDataMissing && kind != api.KindDataChanged {
		_, existingErr := s.ClaimExisting("a")
		wantCode(t, existingErr, api.CodeReadFailed)
		if _, err := os.Lstat(s.files.RecordPath("a")); err != nil {
			t.Errorf("a damaged sidecar was pruned by age: %v", err)
		}
	}
	mustPut(t, s, "a", "mended")
	if err := reads(s, "a", "mended"); err != nil {
		t.Error(err)
	}
	if _, err := s.Drop("a", nil); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(s.files.Path("a*")); err != nil || len(left) > 0 {
		t.Errorf("left of a: %v, %v", left, err)
	}
}

func TestDamagedDataIsTold(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	cases := map[string]struct {
		kind  string
		spoil func(path string) error
	}{
		"removed": {api.KindDataMissing, os.Remove},
		"cut":     {api.KindDataChanged, func(path string) error { return os.Truncate(path, 3) }},
		"link out": {api.KindDataChanged, func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink(secret, path)
		}},
		"pipe": {api.KindDataChanged, func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return syscall.Mkfifo(path, 0o600)
		}},
	}
	for what, c := range cases {
		t.Run(what, func(t *testing.T) {
			mustWrite(t, secret, "PAR1x----PAR1")
			home := t.TempDir()
			s := mustOpen(t, home)
			mustPut(t, s, "a", "x")
			mustPut(t, s, "z", "z")
			m, err := s.Get("a")
			if err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(s.DataPath(m)); err != nil {
				t.Fatal(err)
			}
			// The link for other tools is not what is looked at.
			metas, err := s.List()
			if err != nil || metas[0].Damage == nil || metas[0].Damage.Kind != c.kind || metas[0].Rows != 1 {
				t.Fatalf("listed %+v, %v", metas, err)
			}
			if _, err := s.Link([]string{"a"}); err == nil {
				t.Error("damaged data was linked")
			}
			if _, err := s.Drop("a", nil); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(secret); err != nil || string(text) != "PAR1x----PAR1" {
				t.Errorf("outside: %q, %v", text, err)
			}
			wantTree(t, home, holding([]string{"z"}))
		})
	}
}

func TestASidecarThatIsNoFile(t *testing.T) {
	for what, replace := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link":   func(path string) error { return os.Symlink("z"+sidecarExt, path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(what, func(t *testing.T) {
			home := t.TempDir()
			s := mustOpen(t, home)
			mustPut(t, s, "a", "x")
			mustPut(t, s, "z", "z")
			if err := os.Remove(s.files.RecordPath("a")); err != nil {
				t.Fatal(err)
			}
			if err := replace(s.files.RecordPath("a")); err != nil {
				t.Fatal(err)
			}
			metas, err := mustOpen(t, home).List()
			if err != nil || len(metas) != 2 || metas[0].Damage == nil || metas[0].Damage.Kind != api.KindSidecarInvalid {
				t.Errorf("listed %+v, %v", metas, err)
			}
		})
	}
}

func TestANewerFormatIsLeftAlone(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "x")
	mustPut(t, s, "z", "z")
	// Its data has a name of its own kind, and there is more of it.
	mustWrite(t, s.files.RecordPath("a"), edited(t, s, map[string]any{"version": formatVersion + 1, "data_file": "a-v2"}))
	mustWrite(t, s.files.Path(layout.DataName("a", store.NewID())), "x")
	wantDamaged(t, home, api.KindFormatNewer)
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustPut(t, s, "a", "x")
	mustWrite(t, s.files.RecordPath("a"), edited(t, s, map[string]any{"colour": map[string]any{"a": 1}}))
	if _, err := s.Get("a"); err != nil {
		t.Error(err)
	}
}

// TestLocksFollowNoLinks puts symbolic links where lock files belong.
func TestLocksFollowNoLinks(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	victim := filepath.Join(t.TempDir(), "victim")
	mustWrite(t, victim, "mine")
	if err := os.Symlink(victim, s.files.Path(store.NamesDir+"/a")); err != nil {
		t.Fatal(err)
	}
	_, err := s.Claim("a", false)
	wantCode(t, err, api.CodeNotWritable)
	mustOpen(t, filepath.Dir(s.run))
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

func FuzzSidecar(f *testing.F) {
	m := described("x")
	m.Version, m.Name, m.DataFile = 1, "a", layout.DataName("a", "0123456789abcdef")
	m.normalize()
	good, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(strings.Replace(string(good), `"where": null`, `"where": "x < 3 \u0000 \ud800"`, 1)))
	f.Add([]byte(strings.Replace(string(good), "2026-04-27T17:30:00Z", "9999-12-31T23:59:59-23:59", 2)))
	f.Add([]byte(strings.Replace(string(good), "a-0123456789abcdef.parquet", "../a-0123456789abcdef.parquet", 1)))
	f.Add([]byte(`{"version":1e0}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMeta("a", data)
		if err != nil {
			return
		}
		if filepath.Base(m.DataFile) != m.DataFile || !strings.HasPrefix(m.DataFile, "a-") {
			t.Fatalf("data file %q", m.DataFile)
		}
		out, err := m.encode()
		if err != nil {
			t.Fatal(fmt.Errorf("what was read can't be written: %w", err))
		}
		again, err := parseMeta("a", out)
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("read again: %+v, %v; want %+v", again, err, m)
		}
	})
}
