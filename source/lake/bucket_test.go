package lake

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/googleauth"
	"github.com/agnes-data/da/internal/testing/s3test"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source"
)

// buckets is the server of all tests; each has a bucket in it.
var (
	buckets        = sync.OnceValues(s3test.Start)
	bucketsStarted bool
	bucketsMade    int
)

// shore is a lake whose files are the objects of a bucket. What is written to
// its folder is put there.
type shore struct {
	*folder
	server  *s3test.Server
	bucket  string
	options Options
}

func newShore(t *testing.T) *shore {
	t.Helper()
	bucketsStarted = true
	program, err := buckets()
	s3test.Require(t, err)
	server := program.Open(t)
	bucketsMade++
	name := fmt.Sprintf("company%d", bucketsMade)
	if err := server.Client.MakeBucket(t.Context(), name, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	s := &shore{folder: newFolder(t), server: server, bucket: name, options: Options{
		Bucket:   &bucket.Options{URL: "s3://" + name + "/lake", Endpoint: server.URL, Region: s3test.Region, AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey},
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
	if _, err := s.server.Client.FPutObject(t.Context(), s.bucket, key, file, minio.PutObjectOptions{}); err != nil {
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
	s := newShore(t)
	loaded, series := 0, map[int64]string{}
	load := func(t testing.TB, query string) string {
		loaded++
		rel := fmt.Sprintf("t%d/data.parquet", loaded)
		s.copy(t, rel, query)
		return rel
	}
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		s.options.CacheDir = t.TempDir()
		return sourcetest.Fixture{
			Source: s.reopen(t),
			Load:   func(t testing.TB, table sourcetest.Table) string { return load(t, sourcetest.DuckDB(table)) },
			Series: func(t testing.TB, rows int64) string {
				if series[rows] == "" {
					series[rows] = load(t, seriesOf(rows))
				}
				return series[rows]
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
			Sampled: true,
			Lacks:   []sourcetest.Kind{sourcetest.Interval},
			Without: []sourcetest.Ability{sourcetest.Nullability, sourcetest.Comments, sourcetest.Partitions, sourcetest.Asking, sourcetest.Mortality, sourcetest.Patience},
		}
	})
}

// TestALakeOfGoogle reads a table with the key of a service account, whose
// tokens are about to end with each request.
func TestALakeOfGoogle(t *testing.T) {
	s := newShore(t)
	s.days(t)
	google := s3test.NewGoogle(t, s.server, googleauth.ReadStorage)
	google.Last(time.Second)
	s.options.Bucket = &bucket.Options{URL: "gs://" + s.bucket + "/lake", Endpoint: google.URL, CredentialsFile: google.KeyFile(t, true)}
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
	if !errors.As(err, &e) || e.Kind != api.KindPermissionDenied {
		t.Errorf("what may not be read any more: %v", err)
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
