package core

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestMemoryIsGivenBackWhenNothingRuns: once, after the last of several requests,
// and not between those that follow each other.
func TestMemoryIsGivenBackWhenNothingRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trimmed := 0
		q := &quiet{rest: func() { trimmed++ }}
		one, other := q.begin(), q.begin()
		one()
		one() // a stream may be closed twice
		<-time.After(2 * quietFor)
		other()
		<-time.After(quietFor / 2)
		next := q.begin()
		<-time.After(2 * quietFor)
		if trimmed != 0 {
			t.Errorf("given back %d times while something ran", trimmed)
		}
		next()
		<-time.After(2 * quietFor)
		synctest.Wait()
		if trimmed != 1 {
			t.Errorf("given back %d times", trimmed)
		}
		q.begin()()
		q.close()
		<-time.After(2 * quietFor)
		if trimmed != 1 {
			t.Error("given back after the end")
		}
	})
}
