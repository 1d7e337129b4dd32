package mariadb

import (
	"context"
	"database/sql"
	"io"
	"log"
	"log/slog"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where a database is.
type Options struct {
	// DSN is user:password@tcp(host:port)/database?tls=true. Parameters that the
	// driver does not know are session variables, such as max_statement_time,
	// which limits each statement, in seconds.
	DSN string
	// Log receives what the operator should know; nil: nothing is logged.
	Log *slog.Logger
}

// maxConns is how many requests a database serves at once; others wait.
const maxConns = 10

// MySQL is a source: one server, and the database of the DSN as the default.
type MySQL struct {
	db       *sql.DB
	killer   *sql.DB // stops statements, also when db is busy
	database string  // of relations whose name has no database
	log      *slog.Logger
	// ownTimeout says that the DSN limits the time of statements.
	ownTimeout bool
}

var _ source.Source = (*MySQL)(nil)

// settings give every session the same formats of values, regardless of the
// server's defaults, and make it read-only.
var settings = map[string]string{
	"time_zone":            "'+00:00'",
	"sql_mode":             "'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES,NO_UNSIGNED_SUBTRACTION,ERROR_FOR_DIVISION_BY_ZERO'",
	"collation_connection": "'" + collation + "'",
	"tx_read_only":         "1",
}

// collation compares by code point and without padding, so trailing spaces count.
const collation = "utf8mb4_nopad_bin"

// Open checks the options. It does not connect: a database that is down is an
// error of the requests that need it.
func Open(o Options) (*MySQL, error) {
	c, err := driver.ParseDSN(o.DSN)
	if err != nil {
		return nil, errDSN()
	}
	if err := c.Apply(driver.Charset("utf8mb4", "")); err != nil {
		return nil, errDSN()
	}
	_, own := c.Params["max_statement_time"]
	c.ParseTime, c.MultiStatements, c.AllowAllFiles = false, false, false
	c.Logger = log.New(io.Discard, "", 0) // the errors that it would log are also returned
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	connector, err := newConnector(c)
	if err != nil {
		return nil, err
	}
	m := &MySQL{db: sql.OpenDB(connector), killer: sql.OpenDB(connector), database: c.DBName, log: o.Log, ownTimeout: own}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.db.SetMaxOpenConns(maxConns)
	m.db.SetConnMaxIdleTime(time.Minute)
	m.killer.SetMaxOpenConns(2)
	m.killer.SetMaxIdleConns(0)
	return m, nil
}

// Dialect is DuckDB's; see the package comment.
func (m *MySQL) Dialect() predicate.Dialect { return predicate.DuckDB }

// Printed implements source.Printer.
func (m *MySQL) Printed() predicate.Dialect { return predicate.MySQL }

// Version returns "": the engine forgets what it knows about changes when it
// restarts.
func (m *MySQL) Version(context.Context, source.Relation) (string, error) { return "", nil }

// Close ends the connections; it waits for readers that are still open.
func (m *MySQL) Close() error {
	// Closing a connection that was killed fails, too.
	_, _ = m.db.Close(), m.killer.Close()
	return nil
}
