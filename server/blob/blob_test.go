package blob

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/testing/s3test"
)

// TestStores holds for both places what callers rely on.
func TestStores(t *testing.T) {
	server := s3test.New(t)
	if err := server.Client.MakeBucket(t.Context(), "shared", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bucket.Open(bucket.Options{URL: "s3://shared/results", Endpoint: server.URL, Region: s3test.Region,
		AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Store{"folder": InFolder(t.TempDir() + "/new"), "bucket": InBucket(b)} {
		t.Run(name, func(t *testing.T) { testStore(t, s) })
	}
}

func testStore(t *testing.T, s Store) {
	ctx, name := t.Context(), strings.Repeat("0a", 16)+".json"
	if err := s.Sweep(ctx, time.Now(), nil); err != nil {
		t.Errorf("a place where nothing was put: %v", err)
	}
	for _, other := range []string{"mine.parquet", "0a0a.json"} { // of who keeps other things there
		if err := s.Put(ctx, other, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if _, err := s.Open(ctx, other, 0); err != nil {
				t.Errorf("%s was swept: %v", other, err)
			}
		}()
	}
	for _, text := range []string{"first", strings.Repeat("0123456789", 2_000_000)} { // replaced; in several parts
		if err := s.Put(ctx, name, strings.NewReader(text), int64(len(text))); err != nil {
			t.Fatal(err)
		}
		for _, from := range []int{0, 1, len(text) - 1} {
			r, err := s.Open(ctx, name, int64(from))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || string(got) != text[from:] {
				t.Errorf("from %d: %d bytes of %d, %v", from, len(got), len(text)-from, err)
			}
			_ = r.Close()
		}
		if _, err := s.Open(ctx, name, int64(len(text)+1)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("behind its end: %v", err)
		}
	}
	if err := s.Sweep(ctx, time.Now().Add(-time.Hour), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(ctx, name, 0); err != nil {
		t.Errorf("what is new was swept: %v", err)
	}
	if err := s.Sweep(ctx, time.Now().Add(time.Hour), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(ctx, name, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is old stays: %v", err)
	}
	if err := s.Remove(ctx, name); err != nil {
		t.Errorf("what is gone is removed: %v", err)
	}
	for i := range 5 {
		if err := s.In("many").Put(ctx, strings.Repeat(fmt.Sprint(i), 32)+".json", strings.NewReader("0123456789"), 10); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.In("many").Trim(ctx, 25); err != nil {
		t.Fatal(err)
	}
	kept := ""
	for i := range 5 {
		if _, err := s.In("many").Open(ctx, strings.Repeat(fmt.Sprint(i), 32)+".json", 0); err == nil {
			kept += fmt.Sprint(i)
		}
	}
	if len(kept) != 2 {
		t.Errorf("of five, kept are %s", kept)
	}
	deep := s.In("a").In("b")
	for _, other := range []Store{deep, s.In("ab")} {
		if err := other.Put(ctx, name, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // also where nothing is
		if err := s.In("a").Clear(ctx); err != nil {
			t.Error(err)
		}
	}
	if _, err := deep.Open(ctx, name, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("below a place that was cleared: %v", err)
	}
	if _, err := s.In("ab").Open(ctx, name, 0); err != nil {
		t.Errorf("beside a place that was cleared: %v", err)
	}
}
