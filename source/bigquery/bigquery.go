package bigquery

import (
	"context"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where the tables are and how much may be spent. Only Project is
// required.
type Options struct {
	// Project runs the jobs and pays for them. It is also the project of relations
	// whose name has none.
	Project string
	// Dataset is the dataset of relations whose name has none.
	Dataset string
	// Location is where jobs run, such as "EU"; empty: BigQuery chooses it by the
	// tables.
	Location string
	// Endpoint replaces https://bigquery.googleapis.com. With http:// no
	// credentials are sent.
	Endpoint string
	// StorageEndpoint replaces bigquerystorage.googleapis.com:443, as
	// host:port; without TLS if Endpoint is http://.
	StorageEndpoint string
	// CredentialsFile is the key of a service account; empty: the environment's
	// credentials (Application Default Credentials).
	CredentialsFile string
	// MaxBytesBilled limits every job, whatever the request allows; 0: 100 GB.
	MaxBytesBilled int64

	// CallTimeout limits each call that should be answered at once; 0: 30 s.
	CallTimeout time.Duration
	// JobTimeout limits how long BigQuery may work on a query; 0: 6 h, BigQuery's
	// own limit.
	JobTimeout time.Duration
	// StallTimeout is how long a stream of rows may be silent; 0: 2 min.
	StallTimeout time.Duration
	// Fresh is the age up to which cached metadata is used as it is. Older
	// metadata is still used, but read again in the background. 0: 1 min.
	Fresh time.Duration
	// Stale is the age from which metadata is read again before it is used; 0: 1
	// h.
	Stale time.Duration
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

const (
	defaultMaxBytesBilled = 100_000_000_000
	defaultJobTimeout     = 6 * time.Hour
)

// BigQuery is a source: the tables of one project, and those of others that it can
// read.
type BigQuery struct {
	o       Options
	clients clients
	tables  tables
	// cleaning counts the calls that clean up after requests that have ended.
	cleaning sync.WaitGroup
}

var _ source.Source = (*BigQuery)(nil)

// Open opens the source. It calls nobody: the first request looks for credentials.
func Open(o Options) (*BigQuery, error) {
	if o.Project == "" {
		return nil, &api.Error{Code: api.CodeConfig, Message: "a source of type bigquery needs a project"}
	}
	if err := checkEndpoints(o); err != nil {
		return nil, err
	}
	o.MaxBytesBilled = orElse(o.MaxBytesBilled, defaultMaxBytesBilled)
	o.CallTimeout = orElse(o.CallTimeout, 30*time.Second)
	o.StallTimeout = orElse(o.StallTimeout, 2*time.Minute)
	o.JobTimeout = orElse(o.JobTimeout, defaultJobTimeout)
	o.Fresh = orElse(o.Fresh, time.Minute)
	o.Stale = orElse(o.Stale, time.Hour)
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &BigQuery{o: o, clients: clients{o: o}}
	b.tables.known = map[string]*remembered{}
	return b, nil
}

func orElse[T int64 | time.Duration](v, other T) T {
	if v == 0 {
		return other
	}
	return v
}

// Dialect is BigQuery's own.
func (b *BigQuery) Dialect() predicate.Dialect { return predicate.GoogleSQL }

// Close ends the connections; readers that are still open end with an error.
func (b *BigQuery) Close() error {
	b.tables.close()
	b.cleaning.Wait()
	return b.clients.close()
}

// call limits a call that should be answered at once. The context's cause
// distinguishes this limit from the caller's own deadline.
func (b *BigQuery) call(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, b.o.CallTimeout, errSilent)
}
