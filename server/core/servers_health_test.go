package core

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/blob"
	"github.com/agnes-data/da/server/state"
)

// TestTheDoctorOfSeveralServers: a server whose instance file is another one is told, and a
// place for blobs that refuses them, to the user as well.
func TestTheDoctorOfSeveralServers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	users, err := state.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = users.Close() })
	server := func(tables ...config.Table) *Core {
		t.Helper()
		inst := &config.Instance{Server: config.Server{StateDir: t.TempDir()}, Tables: tables}
		return New(inst, nil, users, slog.New(slog.DiscardHandler))
	}
	instance := func(c *Core, want string) {
		t.Helper()
		if check, err := c.instanceCheck(ctx); err != nil || check.Status != want || (want == api.CheckWarning) != (check.Fix != "") {
			t.Errorf("%+v, %v", check, err)
		}
	}
	one, same, other := server(config.Table{ID: "a"}), server(config.Table{ID: "a"}), server(config.Table{ID: "a", Public: true})
	instance(one, "") // it is alone
	for _, c := range []*Core{one, same} {
		if err := c.Announce(ctx); err != nil {
			t.Fatal(err)
		}
		instance(one, api.CheckOK)
	}
	if err := other.Announce(ctx); err != nil {
		t.Fatal(err)
	}
	instance(one, api.CheckWarning)
	instance(other, api.CheckOK)

	blobs := func(want string) {
		t.Helper()
		if check, err := one.blobsCheck(ctx); err != nil || check.Status != want || (want == api.CheckFailed) != (check.Fix != "") {
			t.Errorf("%+v, %v", check, err)
		}
	}
	blobs("")
	dir := filepath.Join(t.TempDir(), "blobs")
	one.ShareIn(ExplainBlobs(blob.InFolder(dir)), "")
	blobs(api.CheckOK)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	blobs(api.CheckFailed)
	if err := one.shared.put(ctx, "ab", &sharedResult{}); !api.CodeUnavailable.Is(err) {
		t.Errorf("who stores something is told %v", err)
	}
}
