package pgtest

import (
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// New starts a cluster that ends with the test. Where PostgreSQL is not
// installed the test is skipped, but not in CI.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := Start(o)
	Require(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Require ends a test whose cluster did not start.
func Require(t testing.TB, err error) {
	t.Helper()
	testneed.Started(t, err, ErrNotInstalled, "PostgreSQL", "make needs")
}
