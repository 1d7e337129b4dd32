package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/source"
)

// TestAsOfATime asks a table that Spark wrote with the times of its commits, and one
// without them.
func TestAsOfATime(t *testing.T) {
	dir := opentables.Unpack(t, "delta")
	src := open(t, dir)
	version := func(name string) (string, error) { return src.Version(t.Context(), source.Relation{Name: name}) }
	stamp := func(ms int64) string {
		return "@" + time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	for v := range 3 {
		text, err := os.ReadFile(filepath.Join(dir, "ict", logFolder, fmt.Sprintf("%020d.json", v)))
		if err != nil {
			t.Fatal(err)
		}
		var first struct {
			CommitInfo struct {
				At int64 `json:"inCommitTimestamp"`
			} `json:"commitInfo"`
		}
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&first); err != nil || first.CommitInfo.At == 0 {
			t.Fatalf("%s %v", text, err)
		}
		for at, of := range map[int64]int{first.CommitInfo.At: v, first.CommitInfo.At - 1: v - 1} {
			got, err := version("ict" + stamp(at))
			if of < 0 {
				if !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound}) {
					t.Errorf("before the first version: %q, %v", got, err)
				}
				continue
			}
			if want, wrong := version(fmt.Sprintf("ict@v%d", of)); err != nil || wrong != nil || got != want {
				t.Errorf("version %d at %s: %q and not %q: %v %v", of, stamp(at), got, want, err, wrong)
			}
		}
	}
	if _, err := version("part" + stamp(0)); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound}) {
		t.Errorf("without times: %v", err)
	}
}

// TestFilesOfVersions keeps the rows of files that two versions share, with what is
// deleted from them.
func TestFilesOfVersions(t *testing.T) {
	if held := opentables.Parts(t, open(t, opentables.Unpack(t, "delta")), "delta"); held < 40 {
		t.Errorf("%d files were kept", held)
	}
}
