package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/dsn"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where a database is.
type Options struct {
	// DSN is a connection string, either keywords and values or a URL. Missing
	// parts come from the environment (PGHOST …) and the usual files.
	// pool_max_conns limits the connections (default 10), statement_timeout the
	// time of each statement; sslmode and related keys configure TLS.
	DSN string
}

// maxConns is how many connections a database gets if the DSN does not say.
// Further requests wait.
const maxConns = 10

// Postgres is a source: one database.
type Postgres struct {
	pool *pgxpool.Pool
	// ownTimeout says that the DSN limits the time of statements.
	ownTimeout bool
	// Large tables are read by ranges of rangeBlocks blocks, on at most this many
	// connections.
	rangeBlocks int64
	connections int
	waiting     atomic.Int64 // requests that wait for a connection
}

var _ source.Source = (*Postgres)(nil)

// settings give every session the same formats of values, regardless of the
// defaults of the database or role.
var settings = map[string]string{
	"application_name": "da", "client_encoding": "UTF8", "timezone": "UTC", "datestyle": "ISO, YMD", "intervalstyle": "postgres",
	"extra_float_digits": "1", "bytea_output": "hex", "xmloption": "content", "standard_conforming_strings": "on",
	"default_transaction_read_only": "on",
}

// Open checks the options. It does not connect: a database that is down is an
// error of the requests that need it.
func Open(o Options) (*Postgres, error) {
	c, err := pgxpool.ParseConfig(o.DSN)
	if err != nil {
		return nil, badDSN()
	}
	if onRedshift(c.ConnConfig.Host) {
		return nil, errRedshift(api.CodeConfig)
	}
	if err := dsn.NoSetting(c.ConnConfig.RuntimeParams, []string{"ssl", "pool_"},
		keys); err != nil { // the engine's own settings of these names are only set in its files
		return nil, err
	}
	for name, value := range settings {
		c.ConnConfig.RuntimeParams[name] = value
	}
	if pool, err := pgx.ParseConfig(o.DSN); err == nil && pool.RuntimeParams["pool_max_conns"] == "" {
		c.MaxConns = maxConns
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	c.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &stopping{CancelRequestContextWatcherHandler: pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}}
	}
	c.BeforeConnect = withIntake
	c.AfterConnect = ready
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // no prepared statement outlives its request, not even behind a pooler
	_, own := c.ConnConfig.RuntimeParams["statement_timeout"]
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	if err != nil {
		return nil, badDSN()
	}
	return &Postgres{pool: pool, ownTimeout: own, rangeBlocks: rangeBlocks, connections: min(2*runtime.GOMAXPROCS(0), maxConnections)}, nil
}

// endsWithUs has the engine end a statement within two seconds of the end of this
// process. Engines before version 14, and those on systems that cannot notice it,
// refuse the setting; their statements end with the time limit.
func endsWithUs(ctx context.Context, c *pgx.Conn) error {
	_, err := c.PgConn().Exec(ctx, "SET client_connection_check_interval = '2s'").ReadAll()
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// badDSN omits the driver's message about a DSN, because it quotes parts of the
// DSN, possibly of the password.
func badDSN() error {
	return &api.Error{Code: api.CodeConfig, Message: "the dsn of a PostgreSQL source is not valid",
		Hint: "It is a URL, as postgres://user@host/database?sslmode=verify-full, or keywords and values, as host=… dbname=… user=…; psql says what is wrong with it."}
}

// Dialect is PostgreSQL's.
func (p *Postgres) Dialect() predicate.Dialect { return predicate.Postgres }

// Version returns "": the engine has no cheap way to detect that rows have
// changed.
func (p *Postgres) Version(context.Context, source.Relation) (string, error) { return "", nil }

// Close ends the connections; it waits for readers that are still open.
func (p *Postgres) Close() error {
	p.pool.Close()
	return nil
}

// begin acquires a connection and starts a read-only transaction. Its statements
// are stopped soon after the request's deadline, and can only call what is built
// into the engine. The caller must end the transaction. A connection that was ended
// while it was idle is replaced.
func (p *Postgres) begin(ctx context.Context) (*pgxpool.Conn, error) {
	conn, err := p.acquire(ctx)
	if e := (*api.Error)(nil); errors.As(err, &e) && e.Kind == api.KindConnectionLost {
		p.pool.Reset() // others have been idle with it
		return p.acquire(ctx)
	}
	return conn, err
}

func (p *Postgres) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	p.waiting.Add(1)
	conn, err := p.pool.Acquire(ctx)
	p.waiting.Add(-1)
	return p.opened(ctx, conn, err, eachAnew)
}

// Isolation levels of a transaction: either each statement sees the state at the
// time when it has its locks, or all statements see the same state.
const (
	eachAnew = ""
	oneState = "ISOLATION LEVEL REPEATABLE READ, "
)

// opening returns the SQL that starts a transaction. If all its statements see one
// state, a connection may be idle between them for as long as the request lasts,
// because the reader may be slow.
func (p *Postgres) opening(ctx context.Context, isolation string) string {
	sql := "BEGIN " + isolation + "READ ONLY; " + ownPath
	if isolation == oneState {
		sql += "; SET LOCAL idle_in_transaction_session_timeout = 0"
	}
	if end, ok := ctx.Deadline(); ok && !p.ownTimeout {
		sql += fmt.Sprintf("; SET LOCAL statement_timeout = %d", max(time.Until(end), 0).Milliseconds()+1000)
	}
	return sql
}

// opened starts a transaction on a connection from the pool. If the pool returned
// an error instead, it returns the reason.
func (p *Postgres) opened(ctx context.Context, conn *pgxpool.Conn, err error, isolation string) (*pgxpool.Conn, error) {
	connecting := asking{seesAll: true} // nothing has been read that could be hidden
	if err != nil {
		return nil, failure(ctx, err, connecting)
	}
	if _, err := conn.Conn().PgConn().Exec(ctx, p.opening(ctx, isolation)).ReadAll(); err != nil {
		abandon(conn)
		return nil, failure(ctx, err, connecting)
	}
	return conn, nil
}

// within runs a short function on a relation, in its own transaction.
func (p *Postgres) within(ctx context.Context, rel source.Relation, work func(*pgx.Conn, *relation) error) error {
	conn, err := p.begin(ctx)
	if err != nil {
		return err
	}
	r, err := describe(ctx, conn.Conn(), rel.Name)
	if err == nil {
		err = work(conn.Conn(), r)
	}
	if err != nil {
		abandon(conn)
		return failure(ctx, err, asking{seesAll: rel.Whole()})
	}
	finish(conn)
	return nil
}

// finish ends a successful transaction and releases the connection.
func finish(conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = conn.Conn().PgConn().Exec(ctx, "ROLLBACK").ReadAll() // if it fails, the pool drops the connection
	conn.Release()
}

// abandon closes a connection whose state is unknown. It is not reused, because a
// cancel request that is still under way could hit a later statement.
func abandon(conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Hijack().Close(ctx)
}
