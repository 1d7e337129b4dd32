package core

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
)

// TestFilesWaitForTheirMemory: as many files are written at a time as have room,
// the next waits for one of them, and not for ever.
func TestFilesWaitForTheirMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriters(config.Shares{Files: 150_000_000})
		if w.memory != 64_000_000 || cap(w.slots) != 2 {
			t.Fatalf("%d files have %d bytes each", cap(w.slots), w.memory)
		}
		one, err := w.wait(t.Context(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.wait(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := w.wait(t.Context(), time.Minute); !api.CodeUnavailable.Is(err) {
			t.Errorf("a third: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.wait(gone, time.Minute); !errors.Is(err, context.Canceled) {
			t.Errorf("whose client has left: %v", err)
		}
		time.AfterFunc(time.Second, one)
		if _, err := w.wait(t.Context(), time.Minute); err != nil {
			t.Errorf("once one has ended: %v", err)
		}
	})
	if w := newWriters(config.Shares{}); w.slots != nil {
		t.Error("files wait without a limit")
	}
}
