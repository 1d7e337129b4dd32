package core

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/agnes-data/da/source"
)

// heldSchemas is a source whose schemas come only after as many callers have asked for
// the version before, which each does first.
type heldSchemas struct {
	countedSchemas
	callers sync.WaitGroup
	fail    func() error
}

func (s *heldSchemas) Version(ctx context.Context, rel source.Relation) (string, error) {
	defer s.callers.Done()
	return s.Source.Version(ctx, rel)
}

func (s *heldSchemas) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	s.callers.Wait()
	sc, err := s.countedSchemas.Schema(ctx, rel)
	return sc, errors.Join(err, s.fail())
}

// TestCallersShareAReading holds that a source is asked once for what many want at the
// same time, as when a server has just started, and that each asks for itself if the
// request that asked for all was stopped.
func TestCallersShareAReading(t *testing.T) {
	const callers = 20
	for name, stopped := range map[string]bool{"read": false, "stopped": true} {
		t.Run(name, func(t *testing.T) {
			core, _ := testCore(t, "{}")
			numbers := core.byID["numbers"]
			src := &heldSchemas{countedSchemas: countedSchemas{Source: numbers.source}}
			src.fail = func() error {
				if stopped && src.count() == 1 {
					return context.Canceled
				}
				return nil
			}
			src.callers.Add(callers)
			numbers.source = src
			errs := make([]error, callers)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { _, errs[i] = core.schema(t.Context(), numbers, numbers.unrestricted()) })
			}
			all.Wait()
			failed := 0
			for _, err := range errs {
				if err != nil {
					failed++
				}
			}
			switch n := src.count(); {
			case !stopped && (n != 1 || failed > 0):
				t.Errorf("the source was asked %d times, and %d callers failed", n, failed)
			case stopped && failed > 1: // the one that was stopped
				t.Errorf("%d callers failed", failed)
			}
		})
	}
}
