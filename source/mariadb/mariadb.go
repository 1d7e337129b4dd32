package mariadb

import (
	"context"
	"database/sql"
	"log/slog"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// maxConns is how many requests a database serves at once; others wait.
const maxConns = 10

// MariaDB is a source: one server, and the database of the DSN as the default.
type MariaDB struct {
	db       *sql.DB
	killer   *sql.DB // stops statements, also when db is busy
	database string  // of relations whose name has no database
	log      *slog.Logger
	// ownTimeout says that the DSN limits the time of statements.
	ownTimeout bool
}

var _ source.Source = (*MariaDB)(nil)

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

// Dialect is DuckDB's; see the package comment.
func (m *MariaDB) Dialect() predicate.Dialect { return predicate.DuckDB }

// Printed implements source.Printer.
func (m *MariaDB) Printed() predicate.Dialect { return predicate.MySQL }

// Version returns "": the engine forgets what it knows about changes when it
// restarts.
func (m *MariaDB) Version(context.Context, source.Relation) (string, error) { return "", nil }

// Close ends the connections; it waits for readers that are still open.
func (m *MariaDB) Close() error {
	// Closing a connection that was killed fails, too.
	_, _ = m.db.Close(), m.killer.Close()
	return nil
}
