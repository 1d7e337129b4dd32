package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/s3test"
)

// startBucket starts one S3 server, on which each script has a prefix. The
// tables are made as those of a folder, and moved.
func startBucket(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	server := s3test.New(t)
	if err := server.Client.MakeBucket(t.Context(), "company", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	var prefixes atomic.Int64
	return func(env *testscript.Env, all scriptTables) (string, error) {
		if _, err := fillLake(env, all); err != nil {
			return "", err
		}
		prefix := fmt.Sprintf("script_%d", prefixes.Add(1))
		folder := filepath.Join(env.WorkDir, "data")
		for id := range all {
			name := id + ".parquet"
			if _, err := server.Client.FPutObject(t.Context(), "company", prefix+"/"+name, filepath.Join(folder, name), minio.PutObjectOptions{}); err != nil {
				return "", err
			}
		}
		if err := os.RemoveAll(folder); err != nil {
			return "", err
		}
		env.Setenv("MAIN_SECRET", s3test.SecretKey)
		return fmt.Sprintf(caps+`
sources:
  main: { type: lake, bucket: "s3://company/%s", endpoint: %q, region: %s, access_key: %s, secret_key_env: MAIN_SECRET, cache_dir: ./cache }
tables:
  - { id: flights, source: main, path: flights.parquet, public: true }
  - { id: airports, source: main, path: airports.parquet }
`, prefix, server.URL, s3test.Region, s3test.AccessKey), nil
	}
}
