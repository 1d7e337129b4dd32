package mariadb

import (
	"database/sql"
	"io"
	"log"
	"log/slog"
	"time"

	driver "github.com/go-sql-driver/mysql"
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

// Open checks the options. It does not connect: a database that is down is an
// error of the requests that need it.
func Open(o Options) (*MariaDB, error) {
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
	m := &MariaDB{db: sql.OpenDB(connector), killer: sql.OpenDB(connector), database: c.DBName, log: o.Log, ownTimeout: own}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.db.SetMaxOpenConns(maxConns)
	m.db.SetConnMaxIdleTime(time.Minute)
	m.killer.SetMaxOpenConns(2)
	m.killer.SetMaxIdleConns(0)
	return m, nil
}
