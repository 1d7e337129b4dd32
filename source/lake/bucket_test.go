package lake

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/googleauth"
	"github.com/agnes-data/da/internal/s3test"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/sourcetest"
)

// shore is a lake whose files are the objects of a bucket. What is written to
// its folder is put there.
type shore struct {
	*folder
	server  *s3test.Server
	options Options
}

func newShore(t *testing.T) *shore {
	t.Helper()
	server := s3test.New(t)
	if err := server.Client.MakeBucket(t.Context(), "company", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	s := &shore{folder: newFolder(t), server: server, options: Options{
		Bucket:   &bucket.Options{URL: "s3://company/lake", Endpoint: server.URL, Region: s3test.Region, AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey},
		CacheDir: t.TempDir(), TempDir: t.TempDir(),
	}}
	s.lake = s.reopen(t)
	return s
}

// copy writes the result of a query to an object.
func (s *shore) copy(t testing.TB, rel, query string) {
	t.Helper()
	s.folder.copy(t, rel, query)
	s.put(t, "lake/"+rel, s.path(t, rel))
}

func (s *shore) put(t testing.TB, key, file string) {
	t.Helper()
	if _, err := s.server.Client.FPutObject(t.Context(), "company", key, file, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
}

// reopen is another process on the same cache.
func (s *shore) reopen(t *testing.T) *Lake {
	t.Helper()
	l, err := Open(s.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestBucketConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		s := newShore(t)
		loaded := 0
		load := func(t testing.TB, query string) string {
			loaded++
			rel := fmt.Sprintf("t%d/data.parquet", loaded)
			s.copy(t, rel, query)
			return rel
		}
		return sourcetest.Fixture{
			Source: s.lake,
			Load:   func(t testing.TB, table sourcetest.Table) string { return load(t, sourcetest.DuckDB(table)) },
			Series: func(t testing.TB, rows int64) string {
				return load(t, fmt.Sprintf("SELECT range AS n, rpad('pad' || range, 100, 'x') AS pad FROM range(%d)", rows))
			},
			Missing: "no_such_relation.parquet",
			Denied: func(t testing.TB) (source.Source, string) {
				o := s.options
				wrong := *o.Bucket
				wrong.SecretKey = "wrong-secret"
				o.Bucket, o.CacheDir = &wrong, t.TempDir()
				l, err := Open(o)
				if err != nil {
					t.Fatal(err)
				}
				return l, "wrong-secret"
			},
			// As of a lake in a folder.
			Lacks:   []sourcetest.Kind{sourcetest.Interval},
			Without: []sourcetest.Ability{sourcetest.Nullability, sourcetest.Comments, sourcetest.Partitions, sourcetest.Asking, sourcetest.Mortality, sourcetest.Patience},
		}
	})
}

// TestALakeOfGoogle reads a table with the key of a service account, whose
// tokens end while it is read.
func TestALakeOfGoogle(t *testing.T) {
	s := newShore(t)
	s.days(t)
	google := s3test.NewGoogle(t, s.server, googleauth.ReadStorage)
	google.Last(time.Second)
	s.options.Bucket = &bucket.Options{URL: "gs://company/lake", Endpoint: google.URL, CredentialsFile: google.KeyFile(t, true)}
	s.lake = s.reopen(t)
	if got := s.count(t, s.scan(t, "days/**/*.parquet", "day >= 2", "n")); got != "40000" {
		t.Errorf("%s rows", got)
	}
	if n, _ := google.Made(); n < 2 {
		t.Errorf("%d tokens", n)
	}
	google.Forbid()
	_, err := s.lake.Schema(t.Context(), source.Relation{Name: "days/**/*.parquet"})
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != bucket.KindRefused {
		t.Errorf("what may not be read any more: %v", err)
	}
}

// days makes a table of three days of 20,000 rows each, in folders.
func (s *shore) days(t *testing.T) {
	t.Helper()
	for day := 1; day <= 3; day++ {
		s.copy(t, fmt.Sprintf("days/day=%d/data.parquet", day),
			fmt.Sprintf("SELECT range + %d AS n, md5(range::VARCHAR) AS word FROM range(20000)", day*100_000))
	}
}

func TestOnlyWhatIsNeededIsLoaded(t *testing.T) {
	s := newShore(t)
	s.days(t)
	rel := source.Relation{Name: "days/**/*.parquet"}
	whole := int64(0)
	for day := 1; day <= 3; day++ {
		info, err := os.Stat(filepath.Join(s.dir, fmt.Sprintf("days/day=%d/data.parquet", day)))
		if err != nil {
			t.Fatal(err)
		}
		whole += info.Size()
	}
	loaded := func(what string, low, high int64) {
		t.Helper()
		if _, n := s.server.Traffic(); n < low || n > high {
			t.Errorf("%s: %d bytes of %d came, want %d to %d", what, n, whole, low, high)
		}
	}
	const listing = 20_000
	if _, err := s.lake.Estimate(t.Context(), source.Scan{Relation: rel, Select: []string{"n"}}); err != nil {
		t.Fatal(err)
	}
	loaded("an estimate", 1000, 3*footerGuess+listing)
	for where, files := range map[string]int64{"day = 2": 1, "n >= 300000": 1, "day = 7": 0} {
		l := s.lake
		s.lake = s.reopen(t)
		scan := s.scan(t, rel.Name, where, "n")
		s.server.Traffic()
		want := []string{"0", "20000"}[min(files, 1)]
		if got := s.count(t, scan); got != want {
			t.Errorf("%s: %s rows, want %s", where, got, want)
		}
		loaded(where, 0, whole/3+whole/10+listing)
		s.server.Traffic()
		s.count(t, scan)
		loaded(where+" again", 0, listing)
		s.lake = l
	}
}

func (s *shore) count(t *testing.T, scan source.Scan) string {
	t.Helper()
	r, err := s.lake.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	n := int64(0)
	for r.Next() {
		n += r.RecordBatch().NumRows()
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return fmt.Sprint(n)
}

func TestAnObjectThatChangesIsReadAnew(t *testing.T) {
	s := newShore(t)
	s.copy(t, "a.parquet", "SELECT 1 AS n")
	scan := s.scan(t, "a.parquet", "", "n")
	same(t, s.rows(t, scan), "1")
	before, err := s.lake.Version(t.Context(), scan.Relation)
	if err != nil {
		t.Fatal(err)
	}
	s.copy(t, "a.parquet", "SELECT 2 AS n")
	same(t, s.rows(t, scan), "2")
	if after, err := s.lake.Version(t.Context(), scan.Relation); err != nil || after == before {
		t.Errorf("version %s, then %s, %v", before, after, err)
	}
	// What was listed and then replaced is an error, never a mixture.
	known, err := s.lake.resolve(t.Context(), "a.parquet")
	if err != nil {
		t.Fatal(err)
	}
	s.copy(t, "a.parquet", "SELECT range AS n FROM range(1000)")
	stale := s.reopen(t)
	stale.mirror.evictAll(t)
	h := stale.hold()
	defer h.release()
	err = h.bring(t.Context(), known.files, true)
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != bucket.KindChanged {
		t.Errorf("an object that was replaced: %v", err)
	}
}

// evictAll empties the mirror.
func (m *mirror) evictAll(t *testing.T) {
	t.Helper()
	there, err := m.kept()
	for _, k := range there {
		err = errors.Join(err, m.evict(k.version))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestNothingOutsideOfThePrefix(t *testing.T) {
	s := newShore(t)
	s.write(t, "x.csv", "a\n1\n")
	s.put(t, "secret.csv", s.path(t, "x.csv"))
	s.put(t, "lakeside/b.csv", s.path(t, "x.csv"))
	for _, name := range []string{"../secret.csv", "secret.csv", "/secret.csv", "side/b.csv", "*/b.csv", "**/*.csv"} {
		if _, err := s.lake.Schema(t.Context(), source.Relation{Name: name}); !api.CodeSource.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRoomIsMade(t *testing.T) {
	s := newShore(t)
	s.days(t)
	info, err := os.Stat(filepath.Join(s.dir, "days/day=1/data.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	s.options.CacheSize = info.Size() * 5 / 2 // two files and a half
	s.lake = s.reopen(t)
	day := func(n int) source.Scan { return s.scan(t, "days/**/*.parquet", fmt.Sprintf("day = %d", n), "n") }
	for n := 1; n <= 2; n++ {
		s.count(t, day(n))
	}
	first := s.found(t, "days/day=1/data.parquet")
	reading, err := s.lake.Scan(t.Context(), day(2))
	if err != nil {
		t.Fatal(err)
	}
	other := s.reopen(t)
	alsoReading, err := other.Scan(t.Context(), day(1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.lake.Scan(t.Context(), day(3))
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != kindRoom || !strings.Contains(e.Hint, "have ended") || !strings.Contains(e.Hint, "cache_size") {
		t.Fatalf("a cache that is full of what is read: %v", err)
	}
	// What one process has done with, another may remove.
	alsoReading.Release()
	if got := s.count(t, day(3)); got != "20000" {
		t.Errorf("%s rows", got)
	}
	if _, err := os.Stat(s.lake.mirror.path(first)); !os.IsNotExist(err) {
		t.Errorf("the file that nobody reads is still there: %v", err)
	}
	if got, err := values(reading); err != nil || len(got) != 20000 {
		t.Errorf("of what was read meanwhile came %d values, %v", len(got), err)
	}
	reading.Release()
	if got := s.count(t, day(1)); got != "20000" {
		t.Errorf("%s rows of what had gone", got)
	}
	if left := entries(s.lake.mirror.in("holds")); len(left) > 0 {
		t.Errorf("holds of nobody: %v", left)
	}
	s.roomKept(t)
}

// found is a file as it is listed now.
func (s *shore) found(t *testing.T, name string) file {
	t.Helper()
	set, err := s.lake.resolve(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return set.files[0]
}

// roomKept holds that the cache takes no more of the disk than it may.
func (s *shore) roomKept(t *testing.T) {
	t.Helper()
	there, err := s.lake.mirror.kept()
	if err != nil {
		t.Fatal(err)
	}
	taken := int64(0)
	for _, k := range there {
		taken += k.bytes
	}
	if taken > s.lake.mirror.limit || len(entries(s.lake.mirror.files())) != len(there) {
		t.Errorf("%d bytes of %d in %d files of %d", taken, s.lake.mirror.limit, len(there), len(entries(s.lake.mirror.files())))
	}
}

func TestTextOfABucket(t *testing.T) {
	s := newShore(t)
	s.write(t, "x.csv", "a,b\n1,x\n2,y\n")
	s.put(t, "lake/x.csv", s.path(t, "x.csv"))
	same(t, s.rows(t, s.scan(t, "x.csv", "b = 'y'", "a")), "2")
}

func TestBucketOptions(t *testing.T) {
	for _, o := range []bucket.Options{{URL: "http://x/y"}, {URL: "s3://"}, {URL: "s3://b?x=1"}, {URL: "s3://k:s@b/p"}, {URL: "s3://b", Endpoint: "minio:9000"},
		{URL: "s3://b", Endpoint: "ftp://h"}, {URL: "s3://b", Endpoint: "http://u:p@h"}, {URL: "s3://b", Endpoint: "http://h/path"}} {
		if _, err := Open(Options{Bucket: &o, CacheDir: t.TempDir()}); !api.CodeConfig.Is(err) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestPatternsMatchAsFoldersDo(t *testing.T) {
	for _, x := range []struct {
		pattern, name string
		match         bool
	}{
		{"a.csv", "a.csv", true}, {"a.csv", "b/a.csv", false}, {"*.csv", "a.csv", true}, {"*.csv", ".a.csv", false}, {"*/a.csv", "b/a.csv", true},
		{"**/a.csv", "a.csv", true}, {"**/a.csv", "b/c/a.csv", true}, {"**/a.csv", ".b/a.csv", false}, {"b/**/*.csv", "b/a.csv", true},
		{"b/**/*.csv", "b/c/d/a.csv", true}, {"b/**/*.csv", "c/a.csv", false}, {"b*/*.csv", "b/c/a.csv", false},
	} {
		p, err := parsePattern(x.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.match(strings.Split(x.name, "/")); got != x.match {
			t.Errorf("%s and %s: %t", x.pattern, x.name, got)
		}
		if !strings.HasPrefix(x.name, p.prefix()) && x.match {
			t.Errorf("%s does not begin with %q", x.name, p.prefix())
		}
	}
}

// TestLakesShareACacheFolder holds that a file of one bucket never stands for
// that of the same name in another.
func TestLakesShareACacheFolder(t *testing.T) {
	s := newShore(t)
	s.copy(t, "a.parquet", "SELECT 1 AS n")
	s.folder.copy(t, "b.parquet", "SELECT 2 AS n")
	s.put(t, "other/a.parquet", s.path(t, "b.parquet"))
	beside := *s.options.Bucket
	beside.URL = "s3://company/other"
	o := s.options
	o.Bucket = &beside
	other, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	scan := s.scan(t, "a.parquet", "", "n")
	same(t, s.rows(t, scan), "1")
	if s.lake.dir == other.dir {
		t.Error("two lakes keep their files in one folder")
	}
	own := s.lake
	s.lake = other
	same(t, s.rows(t, scan), "2")
	s.lake = own
	same(t, s.rows(t, scan), "1")
}
