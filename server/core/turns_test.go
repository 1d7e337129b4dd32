package core

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurns has more requests than turns: those that wait come in their order, as soon
// as one ends or has taken too long, or at the end of their context.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		var ends []func()
		for range cap(turns.free) {
			ends = append(ends, turns.take(t.Context()))
		}
		came := make(chan int, 3)
		for i := range 2 {
			go func() {
				turns.take(t.Context())
				came <- i
			}()
			synctest.Wait() // they wait in this order
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			turns.take(ctx)()
			came <- 2
		}()
		synctest.Wait()
		if len(came) > 0 {
			t.Errorf("%d came in spite of %d turns being taken", <-came, len(ends))
		}
		cancel()
		if got := <-came; got != 2 {
			t.Errorf("%d came in place of the one whose context ended", got)
		}
		ends[0]()
		ends[0]() // has no further effect
		if got := <-came; got != 0 {
			t.Errorf("%d came before the first", got)
		}
		if synctest.Wait(); len(came) > 0 {
			t.Error("one end lets two in")
		}
		time.Sleep(longestTurn) //nolint:forbidigo // by the clock of this test, which does not wait
		if got := <-came; got != 1 {
			t.Errorf("%d came when the other turns took too long", got)
		}
		for _, end := range ends {
			end()
		}
	})
}
