package agenthttp

import (
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestPurse holds that what many conversations of a user spend at once stays below
// the day's bound, that it outlives the server, and that the next day begins anew.
func TestPurse(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	open := func(user string) purse {
		return purse{&purses{most: 1000, folder: func(user string) string { return filepath.Join(dir, user) }, now: func() time.Time { return now }, log: slog.New(slog.DiscardHandler)}, user}
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
	if s := open("ann").Spent(); s > 1000 || s < 900 {
		t.Errorf("spent %d", s)
	}
	if left := open("bob").Left(); left != 1000 {
		t.Errorf("bob has %d", left)
	}
	now = now.Add(time.Hour)
	if left := open("ann").Left(); left != 1000 {
		t.Errorf("on the next day there are %d", left)
	}
}
