package analyst

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// absurd announces a file of many terabytes and has none of it.
type absurd struct {
	api.Service
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
	a.Connect = func() (Remote, error) { return Remote{Service: server, Name: "https://example.com"}, nil }
	result, err := a.Sync(t.Context(), SyncRequest{})
	if err != nil || result.Err() == nil {
		t.Fatalf("%v, %+v", err, result)
	}
	if n := server.asked.Load(); n > 2*syncParts {
		t.Errorf("%d parts were asked for", n)
	}
}
