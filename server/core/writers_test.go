package core

import (
	"context"
	"errors"
	"fmt"
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
		if w.memory != 64_000_000 || w.queue.slots != 2 {
			t.Fatalf("%d files have %d bytes each", w.queue.slots, w.memory)
		}
		one, err := w.wait(t.Context(), "ann", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.wait(t.Context(), "ann", time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := w.wait(t.Context(), "ann", time.Minute); !api.CodeUnavailable.Is(err) {
			t.Errorf("a third: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.wait(gone, "ann", time.Minute); !errors.Is(err, context.Canceled) {
			t.Errorf("whose client has left: %v", err)
		}
		time.AfterFunc(time.Second, one)
		if _, err := w.wait(t.Context(), "ann", time.Minute); err != nil {
			t.Errorf("once one has ended: %v", err)
		}
	})
	if w := newWriters(config.Shares{}); w.queue != nil {
		t.Error("files wait without a limit")
	}
}

// TestUsersTakeTurnsInTheQueue has one user ask for much, and another one for little.
func TestUsersTakeTurnsInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriters(config.Shares{Files: 64_000_000})
		end, err := w.wait(t.Context(), "ann", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		told, served := map[string]int{}, []string{}
		ask := func(ctx context.Context, name string) {
			ctx = TellingQueue(ctx, func(position int) { told[name] = position })
			go func() {
				free, err := w.wait(ctx, name[:3], time.Minute)
				if err != nil {
					return
				}
				served = append(served, name)
				free()
			}()
			synctest.Wait()
		}
		leaving, leave := context.WithCancel(t.Context())
		ask(t.Context(), "ann1")
		ask(leaving, "ann2")
		ask(t.Context(), "ann3")
		ask(t.Context(), "ben1")
		if fmt.Sprint(told) != "map[ann1:1 ann2:3 ann3:4 ben1:2]" {
			t.Errorf("told are %v", told)
		}
		leave()
		synctest.Wait()
		if told["ann3"] != 3 {
			t.Errorf("after one has left: %v", told)
		}
		end()
		synctest.Wait()
		if fmt.Sprint(served) != "[ann1 ben1 ann3]" || w.queue.free != 1 || len(w.queue.waiting) != 0 {
			t.Errorf("served are %v, %d slots are free", served, w.queue.free)
		}
	})
}
