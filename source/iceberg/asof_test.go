package iceberg

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

// TestAsOfATime holds that a time means the snapshot that was the current one: from its
// millisecond on, until the next.
func TestAsOfATime(t *testing.T) {
	dir := opentables.Unpack(t, "iceberg")
	src := open(t, dir)
	root, err := listed.NewRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, table := range opentables.Tables(t, "iceberg") {
		file, _, err := newest(root, table.Table)
		if err != nil {
			t.Fatal(err)
		}
		m, err := readMetadata(root, table.Table, file)
		if err != nil || len(m.Log) < 2 {
			continue // it has no history, or is refused
		}
		version := func(at string) (string, error) {
			return src.Version(t.Context(), source.Relation{Name: table.Table + "@" + at})
		}
		stamp := func(ms int64) string {
			return time.UnixMilli(ms).In(time.FixedZone("", 3600)).Format("2006-01-02T15:04:05.000Z07:00")
		}
		for i, l := range m.Log {
			if i+1 < len(m.Log) && m.Log[i+1].Since == l.Since {
				continue
			}
			want, err := version(fmt.Sprint(l.ID))
			if err != nil {
				continue // it has expired
			}
			times := []int64{l.Since}
			if i+1 < len(m.Log) {
				times = append(times, m.Log[i+1].Since-1)
			}
			for _, ms := range times {
				tried++
				if got, err := version(stamp(ms)); err != nil || got != want {
					t.Errorf("%s at %s: %q and not %q: %v", table.Table, stamp(ms), got, want, err)
				}
			}
		}
		if _, err := version(stamp(m.Log[0].Since - 1)); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindNotFound}) {
			t.Errorf("%s before its first snapshot: %v", table.Table, err)
		}
	}
	if tried < 10 {
		t.Errorf("only %d times were tried", tried)
	}
}

// TestFilesOfVersions keeps the rows of files that two versions share, with what is
// deleted from them.
func TestFilesOfVersions(t *testing.T) {
	if held := opentables.Parts(t, open(t, opentables.Unpack(t, "iceberg")), "iceberg"); held < 100 {
		t.Errorf("%d files were kept", held)
	}
}
