package mariatest

import (
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// New starts a server that ends with the test. Where MariaDB is not installed
// the test is skipped, but not in CI.
func New(t testing.TB) *Server {
	t.Helper()
	s, err := Start()
	testneed.Started(t, err, ErrNotInstalled, "MariaDB", "make needs")
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}
