package state

import (
	"context"
	"time"
)

// note records what leases have delivered, and renews them.
func (s *Store) note(ctx context.Context, leases ...*Lease) error {
	return s.change(ctx, unlocked, func(tx conn) error {
		until := micros(s.now().Add(LeaseTime))
		for _, l := range leases {
			done := l.done.Load()
			if _, err := tx.Exec("UPDATE leases SET expires_at = $1, done_bytes = $2 WHERE id = $3", until, done, l.id); err != nil {
				return err
			}
			l.noted.Store(done)
		}
		return nil
	})
}

// hold keeps a lease alive until letGo.
func (s *Store) hold(l *Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[l.id] = l
	if s.stop != nil || s.closed {
		return
	}
	stop := make(chan struct{})
	s.stop = stop
	go func() {
		tick := time.NewTicker(noteEvery)
		defer tick.Stop()
		renewed := time.Now()
		for {
			select {
			case <-stop:
				return
			case now := <-tick.C:
				// A failure is retried several times within the lifetime of a
				// lease.
				if now.Sub(renewed) < renewEvery {
					_ = s.noteDelivered(context.Background())
				} else if s.Renew(context.Background()) == nil {
					renewed = now
				}
			}
		}
	}()
}

func (s *Store) letGo(l *Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, l.id)
	if len(s.held) == 0 && s.stop != nil {
		close(s.stop)
		s.stop = nil
	}
}

// Renew prolongs the leases of this process. The store calls it by itself.
func (s *Store) Renew(ctx context.Context) error {
	return s.note(ctx, s.leases(func(*Lease) bool { return true })...)
}

// noteDelivered records what leases have delivered since the last time.
func (s *Store) noteDelivered(ctx context.Context) error {
	leases := s.leases(func(l *Lease) bool { return l.done.Load() != l.noted.Load() })
	if len(leases) == 0 {
		return nil
	}
	return s.note(ctx, leases...)
}

// leases returns the leases of this process that match.
func (s *Store) leases(wanted func(*Lease) bool) []*Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*Lease
	for _, l := range s.held {
		if wanted(l) {
			list = append(list, l)
		}
	}
	return list
}
