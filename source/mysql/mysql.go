package mysql

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"fmt"
	"io"
	"log"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where a database is.
type Options struct {
	// DSN is user:password@tcp(host:port)/database?tls=true. Parameters that the
	// driver does not know are variables of the session, such as
	// max_statement_time, in seconds, which bounds each statement.
	DSN string
}

// maxConns is how many requests a database serves at once; others wait.
const maxConns = 10

// killTime is how long the engine may take to stop a statement.
const killTime = 5 * time.Second

// MySQL is a source: one server, and the database of the DSN as the default.
type MySQL struct {
	db       *sql.DB
	killer   *sql.DB // stops statements, also when db is busy
	database string  // of relations that name none
	// ownTimeout says that the DSN bounds statements.
	ownTimeout bool
}

var _ source.Source = (*MySQL)(nil)

// settings make every session speak one form of values, whatever the server
// prefers, and change nothing.
var settings = map[string]string{
	"time_zone":            "'+00:00'",
	"sql_mode":             "'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES,NO_UNSIGNED_SUBTRACTION,ERROR_FOR_DIVISION_BY_ZERO'",
	"collation_connection": "'" + collation + "'",
	"tx_read_only":         "1",
}

// collation compares by code point, without regard to padding.
const collation = "utf8mb4_nopad_bin"

// Open checks the options. It does not connect: a database that is down is an
// error of the requests that need it.
func Open(o Options) (*MySQL, error) {
	c, err := driver.ParseDSN(o.DSN)
	if err != nil {
		// The error may quote the DSN, and with it the password.
		return nil, &api.Error{Code: api.CodeConfig, Message: "the dsn of a MySQL source is not valid",
			Hint: "It is user:password@tcp(host:3306)/database, with ?tls=true where the server has a certificate."}
	}
	if c.Params == nil {
		c.Params = map[string]string{}
	}
	_, own := c.Params["max_statement_time"]
	for name, value := range settings {
		c.Params[name] = value
	}
	if err := c.Apply(driver.Charset("utf8mb4", "")); err != nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: "the dsn of a MySQL source is not valid", Err: err}
	}
	c.ParseTime, c.MultiStatements, c.AllowAllFiles = false, false, false
	c.Logger = log.New(io.Discard, "", 0) // its errors are returned, too
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	connector, err := driver.NewConnector(c)
	if err != nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: "the dsn of a MySQL source is not valid"}
	}
	m := &MySQL{db: sql.OpenDB(connector), killer: sql.OpenDB(connector), database: c.DBName, ownTimeout: own}
	m.db.SetMaxOpenConns(maxConns)
	m.db.SetConnMaxIdleTime(time.Minute)
	m.killer.SetMaxOpenConns(2)
	m.killer.SetMaxIdleConns(0)
	return m, nil
}

// Dialect is DuckDB's: see the package.
func (m *MySQL) Dialect() predicate.Dialect { return predicate.DuckDB }

// Version cannot tell: what the engine knows of changes it forgets when it
// restarts.
func (m *MySQL) Version(context.Context, source.Relation) (string, error) { return "", nil }

// Close ends the connections; it waits for readers that are still open.
func (m *MySQL) Close() error {
	// Connections that were killed fail at being closed, too.
	_, _ = m.db.Close(), m.killer.Close()
	return nil
}

// statement is a running SELECT.
type statement struct {
	rows   *sql.Rows
	conn   *sql.Conn
	cancel context.CancelFunc
	unwind func() bool // takes back the order to stop it
}

// run starts a SELECT on a connection of its own. When ctx is done the engine
// stops it, too.
func (m *MySQL) run(ctx context.Context, query string, args ...any) (*statement, error) {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var id int64
	if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		_ = conn.Close()
		return nil, err
	}
	if end, ok := ctx.Deadline(); ok && !m.ownTimeout {
		query = fmt.Sprintf("SET STATEMENT max_statement_time=%.3f FOR %s", max(time.Until(end), 0).Seconds()+1, query)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &statement{conn: conn, cancel: cancel, unwind: context.AfterFunc(ctx, func() { m.kill(id) })}
	if s.rows, err = conn.QueryContext(ctx, query, args...); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// kill ends a connection in the engine, with whatever it works on.
func (m *MySQL) kill(id int64) {
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	_, _ = m.killer.ExecContext(ctx, fmt.Sprintf("KILL %d", id)) // it may be gone by itself
}

// close gives the connection back, whose rows have been read to their end.
func (s *statement) close() {
	if !s.unwind() {
		s.stop()
		return
	}
	if s.rows != nil {
		_ = s.rows.Close() // its error, if any, is in Err
	}
	s.cancel()
	_ = s.conn.Close()
}

// stop leaves a statement that may still run, and a connection that is about to
// be killed and must serve nobody else.
func (s *statement) stop() {
	s.cancel() // before the rows are closed, which would read them all
	if s.rows != nil {
		_ = s.rows.Close()
	}
	_ = s.conn.Raw(func(any) error { return sqldriver.ErrBadConn })
	_ = s.conn.Close()
}
