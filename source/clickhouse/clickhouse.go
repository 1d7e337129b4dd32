package clickhouse

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/dsn"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where a server is.
type Options struct {
	// DSN is https://user:pass@host:8443/database?setting=value. The settings, such
	// as max_execution_time in seconds, hold for each statement.
	DSN string
	// CAFile holds the certificates of the authorities that may sign the server's;
	// empty: the system's.
	CAFile string
	// Log receives what the operator should know; nil: nothing is logged.
	Log *slog.Logger
}

// maxConns is how many statements a server works on at once; others wait.
const maxConns = 10

// ClickHouse is a source: one server, and the database of the DSN as the default.
type ClickHouse struct {
	address        string // without credentials, path and query
	user, password string
	database       string // of relations whose name has no database
	settings       url.Values
	fixed          map[string]string // settings, except for tests with an old server
	http, killer   *http.Client      // the second stops statements, also when the first is busy
	log            *slog.Logger

	readonly atomic.Pointer[string] // as the user's profile has it; nil: not asked yet
	found    *lru.Cache[*relation]  // by Version
	recent   time.Duration
}

var (
	_ source.Source = (*ClickHouse)(nil)
	_ source.Prober = (*ClickHouse)(nil)
)

// settings make values look alike whatever the user's profile says, and turn a limit of
// the profile that would cut rows into an error.
var settings = map[string]string{
	"session_timezone": "UTC", "cast_keep_nullable": "1", "transform_null_in": "0", "limit": "0", "offset": "0",
	"read_overflow_mode": "throw", "result_overflow_mode": "throw", "sort_overflow_mode": "throw", "timeout_overflow_mode": "throw",
	"output_format_arrow_compression_method": "none", "output_format_arrow_string_as_string": "1",
	"output_format_arrow_low_cardinality_as_dictionary": "0", "output_format_arrow_fixed_string_as_fixed_byte_array": "0",
	"output_format_json_quote_64bit_integers": "0", "http_write_exception_in_output_format": "0", "wait_end_of_query": "0",
	"cancel_http_readonly_queries_on_client_close": "1", "enable_http_compression": "0",
	"query_plan_remove_redundant_sorting": "0", // else the order of a statement inside of another may be lost
	// The cache remembers of a rule which rows it has admitted, also where a join has left
	// out others: those who ask next, under the same rule, would then miss rows.
	"use_query_condition_cache": "0",
}

// taken are keys of a request that are no settings, or are the source's own.
var taken = []string{"query", "query_id", "database", "user", "password", "quota_key", "default_format", "session_id", "session_timeout",
	"session_check", "compress", "decompress", "stacktrace", "role", "readonly", "close_session"}

const dsnForm = "https://user:pass@host:8443/database, with settings such as ?max_execution_time=60 behind it"

// Open checks the options. It does not connect: a server that is down is an error of
// the requests that need it.
func Open(o Options) (*ClickHouse, error) {
	u, transport, err := dsn.HTTP(o.DSN, dsnForm, o.CAFile)
	if err != nil {
		return nil, err
	}
	c := &ClickHouse{address: u.Scheme + "://" + u.Host + "/", user: u.User.Username(), database: strings.Trim(u.Path, "/"),
		settings: u.Query(), fixed: settings, log: o.Log, recent: recent, found: lru.New[*relation](64, 1<<16)}
	c.password, _ = u.User.Password()
	if c.database == "" {
		c.database = "default"
	}
	for name := range c.settings {
		if _, ours := settings[name]; ours || slices.Contains(taken, name) || strings.HasPrefix(name, "param_") {
			return nil, &api.Error{Code: api.CodeConfig, Message: "the dsn may not set " + api.Clip(name, 80), Hint: "It is " + dsnForm + "."}
		}
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // another host must not get the password
	c.killer = &http.Client{Transport: transport.Clone(), CheckRedirect: stay}
	transport.MaxConnsPerHost = maxConns
	c.http = &http.Client{Transport: transport, CheckRedirect: stay}
	return c, nil
}

// Dialect is DuckDB's; see the package comment.
func (c *ClickHouse) Dialect() predicate.Dialect { return predicate.DuckDB }

// Printed implements source.Printer.
func (c *ClickHouse) Printed() predicate.Dialect { return predicate.ClickHouse }

// Probe implements source.Prober. It fails on a server that does not know the settings
// of a scan.
func (c *ClickHouse) Probe(ctx context.Context) error {
	_, err := rows[struct{}](ctx, c, "SELECT 1 AS n")
	return failure(ctx, err, true)
}

// Close ends the connections that no reader uses.
func (c *ClickHouse) Close() error {
	c.http.CloseIdleConnections()
	c.killer.CloseIdleConnections()
	return nil
}
