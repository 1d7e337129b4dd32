package agenthttp

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	file "github.com/agnes-data/da/internal/guard/purse"
)

// TestPurse holds that what many conversations of a user spend at once stays below
// the day's bound, also on servers that share a state_dir, that it outlives them, and
// that the next day begins anew.
func TestPurse(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	open := func(user string) *purse {
		all := &purses{most: 1000, now: func() time.Time { return now }, log: slog.New(slog.DiscardHandler)}
		folder := filepath.Join(dir, user)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Error(err)
		}
		return all.of(folder)
	}
	p := open("ann")
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			if p.Hold(100) {
				p.Settle(100, 30)
			}
		})
	}
	all.Wait()
	for p.Hold(100) {
	}
	var held atomic.Int64
	for range 60 {
		all.Go(func() {
			if open("dan").Hold(30) { // each on a server of its own
				held.Add(30)
			}
		})
	}
	all.Wait()
	if s := open("dan").Spent(); held.Load() != 990 || s != 990 {
		t.Errorf("servers that share the state have held %d of 1000, and %d are written down", held.Load(), s)
	}
	if s := open("ann").Spent(); s > 1000 || s < 900 {
		t.Errorf("spent %d", s)
	}
	if left := open("bob").Left(); left != 1000 {
		t.Errorf("bob has %d", left)
	}
	late := open("cy")
	if !late.Hold(600) {
		t.Error("a first request is refused")
	}
	now = now.Add(time.Hour)
	next := open("cy")
	if !next.Hold(500) {
		t.Error("the first request of the next day is refused")
	}
	late.Settle(600, 1) // counts for the day before
	if s := next.Spent(); s != 500 {
		t.Errorf("%d of 500 are held after yesterday's request has ended", s)
	}
	if err := os.WriteFile(file.File(filepath.Join(dir, "cy")), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if left := next.Left(); left != 0 || next.Hold(1) {
		t.Errorf("a damaged file leaves %d", left)
	}
	deleted := open("dora")
	if err := os.Remove(filepath.Join(dir, "dora")); err != nil {
		t.Fatal(err)
	}
	if deleted.Hold(1) {
		t.Error("a user who was deleted can spend")
	}
	deleted.Settle(1, 0)
	if _, err := os.Stat(filepath.Join(dir, "dora")); err == nil {
		t.Error("the folder of a deleted user was made again")
	}
	if left := open("ann").Left(); left != 1000 {
		t.Errorf("on the next day there are %d", left)
	}
}
