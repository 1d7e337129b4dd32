// Package analyst is the workplace of a user: the service, the snapshot store and
// DuckDB, connected once for every door. Embedded and remote services look the same to
// it. What a user does there is in the packages below it: keep, fetch, tablesync, query
// and plan.
//
// They print nothing and prompt for nothing; what a caller should know is in their
// results and caveats.
package analyst

import (
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// EmbeddedPrefix starts the name of an embedded service; the path of its instance
// file follows.
const EmbeddedPrefix = "file://"

// Remote is a service with the name that sidecars record for it: a URL, or
// EmbeddedPrefix and a path.
type Remote struct {
	api.Data
	Name string
}

// Analyst is one user's workplace.
type Analyst struct {
	// Connect opens the service for remote data. It is called only when needed,
	// since local work must not depend on a reachable service. It can be called
	// again and always returns the same service.
	Connect func() (Remote, error)
	// Store holds the snapshots.
	Store *snapshot.Store
	// Home is the folder of snapshots, synced tables and caches. The store is
	// inside it.
	Home string
	// StaleAfter is the age at which queries warn about a snapshot; 0 means
	// never.
	StaleAfter time.Duration
	// Quota is the soft limit on the disk space of snapshots, in bytes.
	Quota int64
	// PartsQuota limits the disk space of what queries have fetched for
	// themselves, in bytes; 0 means no limit.
	PartsQuota int64
	// Now is the clock.
	Now func() time.Time

	// Free measures the free space on the disk, in bytes; nil: of the disk of Store.
	Free func() (int64, error)
}
