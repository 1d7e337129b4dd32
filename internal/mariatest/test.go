package mariatest

import (
	"errors"
	"testing"

	"github.com/agnes-data/da/internal/testneed"
)

// New starts a server that ends with the test. Where MariaDB is not installed
// the test is skipped, but not in CI.
func New(t testing.TB) *Server {
	t.Helper()
	s, err := Start()
	switch {
	case err == nil:
	case errors.Is(err, ErrNotInstalled):
		testneed.Skip(t, "MariaDB", "make needs")
	default:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}
