package analyst_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/analyst/tablesync"
	"github.com/agnes-data/da/api"
)

// absurd announces a file of many terabytes and has none of it.
type absurd struct {
	api.Syncer
	asked atomic.Int64
}

func (*absurd) Manifest(context.Context) (*api.SyncManifest, error) {
	return &api.SyncManifest{Tables: []api.SyncTable{{TableID: "t", Bytes: 1 << 43, XXH3: strings.Repeat("0", 32)}}}, nil
}

func (a *absurd) TableData(context.Context, api.SyncTable, int64, int64) (io.ReadCloser, error) {
	a.asked.Add(1)
	return nil, &api.Error{Code: api.CodeConfig, Kind: "not_agnes", Message: "it sent another part"}
}

// TestAPartThatFailsEndsThePullOfItsFile: a large file has a million parts, and
// to ask for each of them takes minutes.
func TestAPartThatFailsEndsThePullOfItsFile(t *testing.T) {
	a, server := alone(t), &absurd{}
	a.Home, a.Now = t.TempDir(), time.Now
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: api.Data{Syncer: server}, Name: "https://example.com"}, nil
	}
	a.Free = func() (int64, error) { return 1 << 50, nil }
	result, err := tablesync.Run(t.Context(), a, tablesync.Request{})
	if err != nil || result.Err() == nil {
		t.Fatalf("%v, %+v", err, result)
	}
	if n := server.asked.Load(); n == 0 || n > 6 {
		t.Errorf("%d parts were asked for", n)
	}
	server.asked.Store(0)
	a.Free = func() (int64, error) { return 1 << 40, nil }
	if result, err = tablesync.Run(t.Context(), a, tablesync.Request{}); err != nil || !api.CodeDiskFull.Is(result.Err()) || server.asked.Load() > 0 {
		t.Errorf("of a file that is larger than the disk %d parts were asked for: %v, %v", server.asked.Load(), err, result.Err())
	}
}

// announcing serves one file, and says of it what a test wants.
type announcing struct {
	api.Syncer
	file []byte
	rows int64
}

func (a *announcing) Manifest(context.Context) (*api.SyncManifest, error) {
	sum := xxh3.Hash128(a.file).Bytes()
	return &api.SyncManifest{Tables: []api.SyncTable{{TableID: "t", Rows: a.rows, Bytes: int64(len(a.file)), XXH3: hex.EncodeToString(sum[:])}}}, nil
}

func (a *announcing) TableData(_ context.Context, _ api.SyncTable, from, n int64) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(a.file[from : from+n])), nil
}

// TestAFileThatIsNotAsAnnouncedIsNotSynced sends files whose hash is right, and
// whose rows are others, or none.
func TestAFileThatIsNotAsAnnouncedIsNotSynced(t *testing.T) {
	a := alone(t)
	a.Home, a.Now = t.TempDir(), time.Now
	path := filepath.Join(t.TempDir(), "t.parquet")
	rows, err := numbers(t, 3, 3, false)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if n, err := a.WriteParquet(t.Context(), path, rows.Batches); err != nil || n != 3 {
		t.Fatal(n, err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		announcing
		says string // of what is wrong; empty: nothing is
	}{
		{announcing{file: file, rows: 3}, ""},
		{announcing{file: append(bytes.Clone(file), "PAR1"...), rows: 3}, "no parquet file"},
		{announcing{file: []byte(strings.Repeat("no parquet ", 50)), rows: 3}, "no parquet file"},
		{announcing{file: append([]byte{}, file...), rows: 4}, "is one of 3 rows, and the server announced 4 rows"},
	} {
		if c.says != "" {
			a.Home = t.TempDir()
		}
		a.Connect = func() (analyst.Remote, error) {
			return analyst.Remote{Data: api.Data{Syncer: &c.announcing}, Name: "https://example.com"}, nil
		}
		result, err := tablesync.Run(t.Context(), a, tablesync.Request{})
		if err != nil {
			t.Fatal(err)
		}
		have := synced.At(a.Home).List()
		if c.says == "" && (result.Err() != nil || len(have) != 1) {
			t.Errorf("a sound file: %v, %v", result.Err(), have)
		}
		if c.says != "" && (!api.CodeStreamCut.Is(result.Err()) || !strings.Contains(result.Err().Error(), c.says) || len(have) != 0) {
			t.Errorf("%s: %v, %v", c.says, result.Err(), have)
		}
	}
}
