package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// day0 is when the tests' snapshots were fetched, if nothing else is said.
var day0 = time.Date(2026, 4, 27, 17, 30, 0, 0, time.UTC)

func at(t time.Time) Option { return WithClock(func() time.Time { return t }) }

func mustOpen(t testing.TB, home string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(home, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill writes a data file that can be told from any other.
func fill(path, content string) error {
	return os.WriteFile(path, []byte("PAR1"+content+"----PAR1"), 0o644)
}

func filled(content string) int64 { return int64(len(content) + 12) }

// described is the description of a snapshot with this content.
func described(content string) Meta {
	return Meta{
		TableID: "flights", FetchedAt: day0, EffectiveAsOf: day0, Rows: int64(len(content)), ContentHash: content,
		Schema: []Column{{"id", "BIGINT"}}, Engine: "test", Server: "file://x",
	}
}

// put fetches a snapshot with this content, over an old one.
func put(s *Store, name, content string, change ...func(*Meta)) error {
	c, err := s.Claim(name, true)
	if err != nil {
		return err
	}
	defer c.Release()
	if err := fill(c.Temp(), content); err != nil {
		return err
	}
	m := described(content)
	for _, f := range change {
		f(&m)
	}
	_, warnings, err := c.Install(context.Background(), m, nil)
	if err == nil && len(warnings) > 0 {
		err = errors.New(strings.Join(warnings, " "))
	}
	return err
}

func mustPut(t testing.TB, s *Store, name, content string, change ...func(*Meta)) {
	t.Helper()
	if err := put(s, name, content, change...); err != nil {
		t.Fatal(err)
	}
}

// read returns the content that a reader sees.
func read(s *Store, name string) (string, error) {
	l, err := s.Link([]string{name})
	if err != nil {
		return "", err
	}
	defer l.Close()
	return contentOf(l.Path(name))
}

func contentOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text, ok := strings.CutSuffix(string(data), "----PAR1")
	if !ok || !strings.HasPrefix(text, "PAR1") {
		return "", errors.New("torn data file: " + string(data))
	}
	return text[4:], nil
}

// tree lists everything below home, generations as NAME-*.parquet and other
// ids as ID, so that lists can be compared; "snapshots/" is left out.
func tree(t testing.TB, home string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(home, path)
		if err != nil || d.IsDir() && (rel == "." || rel == snapshotsDir || rel == runDir) {
			return err
		}
		base := filepath.Base(rel)
		if name, ok := layout.DataOf(base); ok {
			rel = strings.TrimSuffix(rel, base) + layout.DataName(name, "*")
		}
		list = append(list, strings.TrimPrefix(filepath.ToSlash(rel), snapshotsDir+"/"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// holding is the tree of a store that holds these snapshots and nothing else,
// but for files named in extra.
func holding(names []string, extra ...string) []string {
	list := append([]string{".lock", store.NamesDir, store.UsedDir}, extra...)
	for _, n := range names {
		list = append(list, n+sidecarExt, n+dataExt, layout.DataName(n, "*"))
	}
	slices.Sort(list)
	return list
}

func wantTree(t testing.TB, home string, want []string) {
	t.Helper()
	got := tree(t, home)
	slices.Sort(got)
	without := func(from, what []string) (left []string) {
		for _, x := range from {
			if !slices.Contains(what, x) {
				left = append(left, x)
			}
		}
		return left
	}
	if !slices.Equal(got, want) {
		t.Errorf("on disk: %d names, want %d; too many: %v; missing: %v", len(got), len(want), without(got, want), without(want, got))
	}
}

func wantCode(t testing.TB, err error, code api.Code) {
	t.Helper()
	_ = asCode(t, err, code)
}

// asCode returns the error in the shared vocabulary, which must have the code.
func asCode(t testing.TB, err error, code api.Code) *api.Error {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error %v (%#v), want code %s", err, err, code)
	}
	return e
}

func TestInstallAndReadBack(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	c, err := s.Claim("cz_recent", false)
	if err != nil {
		t.Fatal(err)
	}
	if c.Existing() != nil || c.Name() != "cz_recent" {
		t.Errorf("a new name has %+v", c.Existing())
	}
	if err := fill(c.Temp(), "hello"); err != nil {
		t.Fatal(err)
	}
	meta := described("hello")
	limit, scan := int64(1000), int64(4_400_000_000)
	meta.SetRequest(api.ScanRequest{
		TableID: "web", Select: []string{"a", "B c"}, Where: "country = 'CZ' AND x < 3", Limit: &limit, OrderBy: []string{"a DESC"},
	})
	meta.EstimatedScanBytes, meta.Truncated, meta.RequestID, meta.Caveats = &scan, true, "r1", api.CaveatsOf(api.CaveatOther, "w")
	meta.FetchedAt = day0.Add(1500 * time.Nanosecond).In(time.FixedZone("x", 3600))
	got, warnings, err := c.Install(context.Background(), meta, nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	c.Release()
	c.Release()
	if got.BytesLocal != filled("hello") || got.Version != formatVersion || got.Name != "cz_recent" || !got.FetchedAt.Equal(day0.Add(time.Microsecond)) {
		t.Errorf("installed %+v", got)
	}
	again, err := mustOpen(t, home).Get("cz_recent")
	if err != nil || !reflect.DeepEqual(got, again) {
		t.Errorf("read back %+v, %v\nwant %+v", again, err, got)
	}
	if !reflect.DeepEqual(again.Request(), api.ScanRequest{
		TableID: "web", Select: []string{"a", "B c"}, Where: "country = 'CZ' AND x < 3", Limit: &limit, OrderBy: []string{"a DESC"},
	}) {
		t.Errorf("request %+v", again.Request())
	}
	wantTree(t, home, holding([]string{"cz_recent"}))
	if text, err := contentOf(filepath.Join(s.Dir(), "cz_recent.parquet")); err != nil || text != "hello" {
		t.Errorf("through the link: %q, %v", text, err)
	}
	if target, err := os.Readlink(filepath.Join(s.Dir(), "cz_recent.parquet")); err != nil || target != got.DataFile {
		t.Errorf("the link says %q, %v; want it relative", target, err)
	}
	if text, err := contentOf(s.DataPath(again)); err != nil || text != "hello" {
		t.Errorf("data: %q, %v", text, err)
	}
}

// TestSidecarShape pins the bytes on disk: other programs read them.
func TestSidecarShape(t *testing.T) {
	m := described("h")
	m.Version, m.Name, m.DataFile, m.BytesLocal = 2, "x", "x-0123456789abcdef.parquet", 13
	m.Provenance = &api.Provenance{Version: "v", Rights: "r", Dialect: "duckdb", Columns: []api.Column{{Name: "id", Type: "BIGINT"}}}
	m.normalize()
	got, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "version": 2,
  "name": "x",
  "table_id": "flights",
  "select": null,
  "where": null,
  "limit": null,
  "order_by": null,
  "fetched_at": "2026-04-27T17:30:00Z",
  "effective_as_of": "2026-04-27T17:30:00Z",
  "rows": 1,
  "bytes_local": 13,
  "estimated_scan_bytes_at_fetch": null,
  "content_hash": "h",
  "truncated": false,
  "schema": [
    {
      "name": "id",
      "type": "BIGINT"
    }
  ],
  "engine": "test",
  "server": "file://x",
  "request_id": "",
  "caveats": [],
  "data_file": "x-0123456789abcdef.parquet",
  "provenance": {
    "version": "v",
    "rights": "r",
    "dialect": "duckdb",
    "columns": [
      {
        "name": "id",
        "type": "BIGINT",
        "nullable": false
      }
    ]
  }
}
`
	if string(got) != want {
		t.Errorf("sidecar:\n%s\nwant:\n%s", got, want)
	}
}

func TestNobodyElseCanRead(t *testing.T) {
	home := filepath.Join(t.TempDir(), "new", "home")
	s := mustOpen(t, home)
	mustPut(t, s, "a", "1")
	l, err := s.Link([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := s.Claim("b", false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type() == fs.ModeSymlink {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRefreshReplacesAndKeepsOneGeneration(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "one")
	first, err := s.Get("a")
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.ClaimExisting("a")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if c.Existing() == nil || c.Existing().DataFile != first.DataFile {
		t.Errorf("existing %+v, want %+v", c.Existing(), first)
	}
	if err := fill(c.Temp(), "two!"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Install(context.Background(), described("two!"), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Install(context.Background(), described("two!"), nil); err == nil {
		t.Error("a claim was used twice")
	}
	c.Release()
	if text, err := read(s, "a"); err != nil || text != "two!" {
		t.Errorf("after refresh: %q, %v", text, err)
	}
	wantTree(t, home, holding([]string{"a"}, ".used/a"))
}

func TestKeepChangesTheDescriptionOnly(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "one")
	before, err := s.Get("a")
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.ClaimExisting("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(c.Temp(), "one, written again"); err != nil {
		t.Fatal(err)
	}
	m := described("one")
	m.FetchedAt, m.EffectiveAsOf, m.Rows, m.Schema = day0.Add(time.Hour), day0.Add(time.Hour), 77, nil
	kept, err := c.Keep(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	c.Release()
	after, err := s.Get("a")
	if err != nil {
		t.Fatal(err)
	}
	before.FetchedAt, before.EffectiveAsOf, before.LastUsed = m.FetchedAt, m.EffectiveAsOf, m.FetchedAt
	if !reflect.DeepEqual(after, before) || kept.DataFile != after.DataFile {
		t.Errorf("after keeping: %+v\nwant %+v", after, before)
	}
	wantTree(t, home, holding([]string{"a"}))
}

func TestListIsOrderedAndCountsUse(t *testing.T) {
	home := t.TempDir()
	later := day0.Add(48 * time.Hour)
	s := mustOpen(t, home, at(later))
	for _, name := range []string{"b", "a_1", "a", "_"} {
		mustPut(t, s, name, name)
	}
	if _, err := read(s, "b"); err != nil {
		t.Fatal(err)
	}
	metas, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range metas {
		names = append(names, m.Name)
		want := day0
		if m.Name == "b" {
			want = later
		}
		if !m.LastUsed.Equal(want) || m.Damage != nil || m.BytesLocal != filled(m.Name) {
			t.Errorf("%s: last used %v, want %v; damage %v", m.Name, m.LastUsed, want, m.Damage)
		}
	}
	if !slices.Equal(names, []string{"_", "a", "a_1", "b"}) {
		t.Errorf("order %v", names)
	}
}

func TestEmptyStore(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "none"))
	if metas, err := s.List(); err != nil || len(metas) != 0 {
		t.Errorf("list: %v, %v", metas, err)
	}
	l, err := s.Link(nil)
	if err != nil || l.Dir != "" || l.Path("a") != "" {
		t.Errorf("no links: %+v, %v", l, err)
	}
	l.Close()
	if _, err := Open(""); err == nil {
		t.Error("a store without a home was opened")
	}
}

func TestUnknownNamesSuggestNearOnes(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustPut(t, s, "cz_recent", "1")
	mustPut(t, s, "orders", "1")
	_, getErr := s.Get("cz_recnt")
	_, linkErr := s.Link([]string{"orders", "cz_recnt"})
	_, dropErr := s.Drop("cz_recnt", nil)
	_, claimErr := s.ClaimExisting("cz_recnt")
	for _, err := range []error{getErr, linkErr, dropErr, claimErr} {
		e := asCode(t, err, api.CodeUnknownSnapshot)
		if !strings.Contains(e.Hint, "cz_recent") || !reflect.DeepEqual(e.Details["suggestions"], []string{"cz_recent"}) {
			t.Errorf("hint %q, details %v: want cz_recent suggested", e.Hint, e.Details)
		}
	}
	wantTree(t, filepath.Dir(s.run), holding([]string{"cz_recent", "orders"}))
}

func TestBadNamesTouchNothing(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	before := tree(t, home)
	for _, name := range []string{"", "A", "a-b", "../a", "a/b", ".lock", strings.Repeat("a", 65), "a\x00"} {
		_, claim := s.Claim(name, true)
		_, existing := s.ClaimExisting(name)
		_, get := s.Get(name)
		_, drop := s.Drop(name, nil)
		_, link := s.Link([]string{name})
		for _, err := range []error{claim, existing, get, drop, link} {
			wantCode(t, err, api.CodeInvalidName)
		}
	}
	if got := tree(t, home); !slices.Equal(got, before) {
		t.Errorf("on disk: %v, want %v", got, before)
	}
}

func TestIncompleteFilesAreNotInstalled(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "old")
	for what, data := range map[string]string{"none": "", "empty": "-", "cut": "PAR1something", "foreign": "something----PAR1"} {
		c, err := s.Claim("a", true)
		if err != nil {
			t.Fatal(err)
		}
		if what != "none" {
			if err := os.WriteFile(c.Temp(), []byte(strings.TrimPrefix(data, "-")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := c.Install(context.Background(), described("new"), nil); err == nil {
			t.Errorf("%s: installed", what)
		}
		c.Release()
	}
	bad := described("new")
	bad.TableID = "../x"
	if err := put(s, "a", "new", func(m *Meta) { *m = bad }); err == nil {
		t.Error("a description that could not be read back was installed")
	}
	if text, err := read(s, "a"); err != nil || text != "old" {
		t.Errorf("the old one reads %q, %v", text, err)
	}
	wantTree(t, home, holding([]string{"a"}, ".used/a"))
}

func TestInterruptedInstallChangesNothing(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "old")
	c, err := s.Claim("a", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(c.Temp(), "new"); err != nil {
		t.Fatal(err)
	}
	lock, err := s.files.TryLock() // somebody else is at work
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.s.files.Step = func(step string) {
		if step == store.StepTempSynced {
			cancel()
		}
	}
	_, _, err = c.Install(ctx, described("new"), nil)
	wantCode(t, err, api.CodeInterrupted)
	lock.Unlock()
	_, _, err = c.Install(ctx, described("new"), nil)
	wantCode(t, err, api.CodeInterrupted)
	c.Release()
	if text, err := read(s, "a"); err != nil || text != "old" {
		t.Errorf("the old one reads %q, %v", text, err)
	}
	wantTree(t, home, holding([]string{"a"}, ".used/a"))
}

func TestAStuckLockIsNotWaitedForForEver(t *testing.T) {
	s := mustOpen(t, t.TempDir(), func(s *Store) { s.patience = time.Millisecond })
	lock, err := s.files.TryLock()
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	_, err = s.Claim("a", false)
	if e := asCode(t, err, api.CodeSnapshotBusy); !e.Retryable() || e.Hint == "" {
		t.Errorf("%+v: want a hint, and that it may be tried again", e)
	}
	_, err = s.Drop("a", nil)
	wantCode(t, err, api.CodeSnapshotBusy)
}

func TestDiskUsage(t *testing.T) {
	home := t.TempDir()
	s := mustOpen(t, home)
	mustPut(t, s, "a", "1")
	mustPut(t, s, "b", "22")
	u, err := s.DiskUsage()
	if err != nil {
		t.Fatal(err)
	}
	if u.Snapshots != 2 || u.UsedBytes != filled("1")+filled("22") || u.FreeBytes <= 0 || u.Dir != s.Dir() {
		t.Errorf("usage %+v", u)
	}
	if err := os.RemoveAll(home); err != nil {
		t.Fatal(err)
	}
	if u, err = s.DiskUsage(); err != nil || u.Snapshots != 0 || u.FreeBytes <= 0 {
		t.Errorf("without a folder: %+v, %v", u, err)
	}
}
