package state

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/internal/testing/pgtest"
)

// BenchmarkPairs is what each request costs the state: a reservation and its settlement,
// by 4 clients of as many users, and of one.
func BenchmarkPairs(b *testing.B) {
	for name, options := range map[string][]Option{"sqlite": nil, "postgres": {InPostgres(pgtest.Shared(b).DSN(""))}} {
		for _, users := range []int{4, 1} {
			b.Run(fmt.Sprintf("%s/%d users", name, users), func(b *testing.B) {
				dir := filepath.Join(b.TempDir(), "state")
				if err := os.MkdirAll(dir, 0o700); err != nil {
					b.Fatal(err)
				}
				s, err := Open(dir, options...)
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				const clients = 4
				var done atomic.Int64
				var all sync.WaitGroup
				b.ResetTimer()
				for i := range clients {
					all.Go(func() {
						user := fmt.Sprint("u", i%users)
						for done.Add(1) <= int64(b.N) {
							d := demand(user, "r", 10)
							d.MaxRunning, d.MaxDaily = 100, 1<<60
							l, err := s.Reserve(b.Context(), d)
							if err == nil {
								err = s.Settle(b.Context(), l, event(user, "r", 10))
							}
							if err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
			})
		}
	}
}
