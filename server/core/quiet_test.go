package core

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/agnes-data/da/source"
)

// TestMemoryIsGivenBackWhenNothingRuns: once, after the last of several requests,
// and not between those that follow each other.
func TestMemoryIsGivenBackWhenNothingRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trimmed, rested := 0, 0
		q := &quiet{trim: func() { trimmed++ }, rest: func() { rested++ }}
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
		if trimmed != 1 || rested != 0 {
			t.Errorf("given back %d times, rested %d times", trimmed, rested)
		}
		<-time.After(restFor)
		synctest.Wait()
		if trimmed != 1 || rested != 1 {
			t.Errorf("after a rest: given back %d times, rested %d times", trimmed, rested)
		}
		q.begin()()
		q.close()
		<-time.After(2 * restFor)
		if trimmed != 1 || rested != 1 {
			t.Error("given back after the end")
		}
	})
}

// resting is a source that counts how often it was told to rest.
type resting struct {
	source.Source
	woken, times int
}

// Wake implements source.Idler.
func (r *resting) Wake() { r.woken++ }

// Idle implements source.Idler.
func (r *resting) Idle() { r.times++ }

// TestSourcesRest holds that a server wakes all sources when it starts, and when it is
// idle tells them to free what they keep, but for those that keep nothing.
func TestSourcesRest(t *testing.T) {
	one, other := &resting{}, &resting{}
	c := &Core{sources: map[string]source.Source{"one": one, "other": other, "plain": struct{ source.Source }{}}}
	c.Wake()
	if one.woken != 1 || other.woken != 1 {
		t.Errorf("they were woken %d and %d times", one.woken, other.woken)
	}
	c.rest()
	if one.times != 1 || other.times != 1 {
		t.Errorf("they were told %d and %d times", one.times, other.times)
	}
}
