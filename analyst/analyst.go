// Package analyst is what a user does with data: fetch a part of a table into
// a snapshot, refresh it, and query snapshots locally. It joins the service
// (embedded or remote, it cannot tell), the snapshot store and DuckDB once, for
// every door.
//
// It prints nothing and asks nothing; what a caller should know comes back as
// results and warnings.
package analyst

import (
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// EmbeddedPrefix begins the name of an embedded service; the path of its
// instance file follows.
const EmbeddedPrefix = "file://"

// Remote is a service together with the name that sidecars know it by: a URL,
// or EmbeddedPrefix and a path.
type Remote struct {
	api.Data
	Name string
}

// Analyst is one user's work place.
type Analyst struct {
	// Connect opens the service that answers about remote data. It is called
	// when first needed, may be called again, and returns the same each time:
	// what is local works with no service in reach.
	Connect func() (Remote, error)
	// Store holds the snapshots.
	Store *snapshot.Store
	// Home is the folder of snapshots, synced tables and caches; the store lies
	// in it.
	Home string
	// StaleAfter is the age from which a snapshot used by a query is warned
	// about; 0 means never.
	StaleAfter time.Duration
	// Quota is the soft cap on what snapshots take of the disk, in bytes.
	Quota int64
	// PartsQuota bounds what queries have fetched for themselves, in bytes; 0:
	// nothing does.
	PartsQuota int64
	// Now is the clock.
	Now func() time.Time

	free func() (int64, error) // if a test sets it, the room on the disk
}
