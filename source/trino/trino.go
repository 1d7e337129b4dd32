package trino

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/dsn"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where a cluster is.
type Options struct {
	// DSN is https://user:pass@host:8443/catalog/schema?property=value. The
	// properties, such as query_max_cpu_time, are those of each statement's session.
	DSN string
	// Token is sent as a bearer token, in place of a password.
	Token string
	// CAFile holds the certificates of the authorities that may sign the cluster's;
	// empty: the system's.
	CAFile string
}

// maxConns is how many requests a cluster gets at once; others wait.
const maxConns = 10

// Trino is a source: one cluster, and the catalog and schema of the DSN as the default.
type Trino struct {
	base            *url.URL // without credentials, path and query
	user, password  string
	token           string
	catalog, schema string // of relations whose name has none
	properties      []string
	encoding        string // of segments; empty: none are asked for
	http            *http.Client

	unlimited atomic.Bool // the user may not set how long a statement may take

	found  *lru.Cache[*relation] // by name
	recent time.Duration
}

var (
	_ source.Borrower = (*Trino)(nil)
	_ source.Prober   = (*Trino)(nil)
)

const dsnForm = "https://user:pass@host:8443/catalog/schema, with session properties such as ?query_max_cpu_time=1h behind it"

// Open checks the options. It does not connect: a cluster that is down is an error of
// the requests that need it.
func Open(o Options) (*Trino, error) {
	u, transport, err := dsn.HTTP(o.DSN, dsnForm, o.CAFile)
	if err != nil {
		return nil, err
	}
	t := &Trino{base: &url.URL{Scheme: u.Scheme, Host: u.Host}, user: u.User.Username(), token: o.Token,
		found: lru.New[*relation](64, 1<<16), recent: recent}
	t.password, _ = u.User.Password()
	t.catalog, t.schema, _ = strings.Cut(strings.Trim(u.Path, "/"), "/")
	bad := func(what string) error {
		return &api.Error{Code: api.CodeConfig, Message: what, Hint: "It is " + dsnForm + "."}
	}
	switch {
	case t.user == "":
		return nil, bad("the dsn of a Trino source names no user")
	case t.token != "" && (t.password != "" || u.Scheme != "https"):
		return nil, bad("a Trino source with a token has a dsn with https:// and without a password")
	}
	for name, values := range u.Query() {
		if name == "encoding" {
			if t.encoding = strings.ReplaceAll(values[0], " ", "+"); t.encoding != "json" && t.encoding != "json+zstd" {
				return nil, bad("the encoding of a Trino source is json or json+zstd")
			}
			continue
		}
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_.") != "" || len(values) != 1 {
			return nil, bad("the dsn has a session property that cannot be one: " + api.Clip(name, 80))
		}
		t.properties = append(t.properties, name+"="+url.QueryEscape(values[0]))
	}
	transport.MaxConnsPerHost = maxConns + 2 // also to stop statements
	t.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return t, nil
}

// Dialect is DuckDB's; see the package comment.
func (t *Trino) Dialect() predicate.Dialect { return predicate.DuckDB }

// Printed implements source.Printer.
func (t *Trino) Printed() predicate.Dialect { return predicate.Trino }

// Version returns "": an engine over others does not know what has changed there.
func (t *Trino) Version(context.Context, source.Relation) (string, error) { return "", nil }

// Probe implements source.Prober.
func (t *Trino) Probe(ctx context.Context) error {
	_, err := t.table(ctx, "SELECT 1")
	return failure(ctx, err, true)
}

// Close ends the connections that no reader uses.
func (t *Trino) Close() error {
	t.http.CloseIdleConnections()
	return nil
}
