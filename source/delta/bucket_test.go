package delta

import (
	"testing"

	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/source/listed"
)

// TestAnswersFromABucket asks what Spark was asked of tables in a bucket.
func TestAnswersFromABucket(t *testing.T) {
	dir := opentables.Unpack(t, "delta")
	src, err := Open(listed.Options{Bucket: opentables.Upload(t, dir), CacheDir: t.TempDir(), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	opentables.Ask(t, opentables.Some, src, "delta", "")
}
