package snowflake

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/dsn"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where an account is, and who reads it.
type Options struct {
	Account, User, Role, Warehouse string
	Database, Schema               string // of relations whose name has none
	// KeyFile has the user's private key, as PEM; or Token is one of OAuth.
	KeyFile, Token string
	// Endpoint replaces the account's own address; it may lack TLS on this machine.
	Endpoint string
	// Timeout is how long a statement may run; 0: as the account has it.
	Timeout time.Duration
}

// Snowflake is a source: one account, read by one role.
type Snowflake struct {
	driver           driver
	database, schema string
}

var (
	_ source.Printer = (*Snowflake)(nil)
	_ source.Prober  = (*Snowflake)(nil)
)

// login is what a driver connects with.
type login struct {
	Options
	scheme    string
	host      string
	port      string
	transport http.RoundTripper
	session   map[string]string
}

// driver runs statements. Its errors are those of ctx, of the connection, or an *Exception.
type driver interface {
	query(ctx context.Context, statement string) (*result, error)
	close() error
}

// result is what a statement gives: names with texts, or with batches of Arrow.
type result struct {
	names   []string
	texts   [][]*string
	batches []batch
	rows    int64
	done    func() // gives the connection back
}

// batch is a part of a result, which is fetched when it is opened.
type batch struct {
	rows int64
	open func(context.Context) (io.ReadCloser, error)
}

// settings make values and literals look alike whatever the user's own parameters say. A
// statement ends with a server of ours that is gone.
var settings = map[string]string{
	"TIMEZONE": "UTC", "QUOTED_IDENTIFIERS_IGNORE_CASE": "false", "DATE_INPUT_FORMAT": "AUTO", "TIME_INPUT_FORMAT": "AUTO",
	"TIMESTAMP_INPUT_FORMAT": "AUTO", "WEEK_START": "0", "WEEK_OF_YEAR_POLICY": "0", "ABORT_DETACHED_QUERY": "true", "QUERY_TAG": "da",
	"GO_QUERY_RESULT_FORMAT": "ARROW", "CLIENT_TELEMETRY_ENABLED": "false", "ROWS_PER_RESULTSET": "0",
}

var accountName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$`)

// Open checks the options. It does not connect: an account that is not there is an error
// of the requests that need it.
func Open(o Options) (*Snowflake, error) {
	bad := func(message, hint string) error {
		return &api.Error{Code: api.CodeConfig, Message: message, Hint: hint}
	}
	if !accountName().MatchString(o.Account) {
		return nil, bad("the account of a Snowflake source is not valid", "It is what stands before .snowflakecomputing.com, as in myorg-prod.")
	}
	if (o.KeyFile == "") == (o.Token == "") || o.KeyFile != "" && o.User == "" {
		return nil, bad("a Snowflake source has a user with a private_key_file, or a token", "Passwords are not taken.")
	}
	endpoint := o.Endpoint
	if endpoint == "" {
		endpoint = "https://" + o.Account + ".snowflakecomputing.com"
	}
	u, transport, err := dsn.HTTP(endpoint, "https://host", "")
	if err != nil {
		return nil, err
	}
	if u.Scheme != "https" && u.Hostname() != "127.0.0.1" {
		return nil, bad("the endpoint of a Snowflake source has no TLS", "It begins with https://.")
	}
	l := login{Options: o, scheme: u.Scheme, host: u.Hostname(), port: u.Port(), transport: quiet{transport}, session: map[string]string{}}
	for name, value := range settings {
		l.session[name] = value
	}
	if o.Timeout > 0 {
		l.session["STATEMENT_TIMEOUT_IN_SECONDS"] = fmt.Sprint(int(o.Timeout.Seconds()) + 1)
	}
	d, err := connect(l)
	if err != nil {
		return nil, err
	}
	return &Snowflake{driver: d, database: o.Database, schema: o.Schema}, nil
}

// quiet sends no telemetry: it would have the errors of statements, which may quote values.
type quiet struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (q quiet) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.Path, "/telemetry/") {
		return &http.Response{StatusCode: http.StatusOK, Proto: r.Proto, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(`{"success":true}`))}, nil
	}
	return q.RoundTripper.RoundTrip(r)
}

// Dialect is DuckDB's; see the package comment.
func (s *Snowflake) Dialect() predicate.Dialect { return predicate.DuckDB }

// Printed implements source.Printer.
func (s *Snowflake) Printed() predicate.Dialect { return predicate.Snowflake }

// Probe implements source.Prober. It needs no warehouse.
func (s *Snowflake) Probe(ctx context.Context) error {
	_, _, err := s.table(ctx, "SELECT 1")
	return failure(ctx, err, true)
}

// Close ends the sessions that no reader uses.
func (s *Snowflake) Close() error { return s.driver.close() }
