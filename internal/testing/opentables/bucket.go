package opentables

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/testing/s3test"
)

// Upload puts all files of a folder below the prefix lake of a new bucket, and returns
// how that is read.
func Upload(t testing.TB, dir string) *bucket.Options {
	t.Helper()
	server := s3test.New(t)
	const name = "tables"
	if err := server.Client.MakeBucket(t.Context(), name, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		key := "lake" + strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir))
		_, err = server.Client.FPutObject(t.Context(), name, key, path, minio.PutObjectOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return &bucket.Options{URL: "s3://" + name + "/lake", Endpoint: server.URL, Region: s3test.Region, AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey}
}
