package state

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/agnes-data/da/api"
)

const (
	// patience is how long a statement waits, and a transaction lasts.
	patience = 20 * time.Second
	// connectTime is how long one connection may take, unless the DSN says it.
	connectTime = 10 * time.Second
	// lockClass sets our advisory locks apart from those of others in the database.
	lockClass = 0x6461
	// ownSchema holds the tables, unless the DSN sets another search_path.
	ownSchema = "da"
)

// postgres is a state that the servers of several machines share.
type postgres struct {
	pool  *pgxpool.Pool
	db    *sql.DB
	place string // without secrets
	clock atomic.Pointer[reading]
	local func() time.Time // with a monotonic reading
}

// reading is the time of the database at a time of this machine.
type reading struct {
	theirs time.Time
	ours   time.Time
}

// openPostgres connects, and brings the schema up to date. dir holds what is no
// database.
func openPostgres(dsn, dir string, inProcess bool) (*postgres, error) {
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil { // which quotes the DSN, possibly its password
		return nil, &api.Error{Code: api.CodeConfig, Message: "server.state is not the address of a PostgreSQL database",
			Hint: "It is a URL, as postgres://user@host/database?sslmode=verify-full, or keywords and values, as host=… dbname=… user=…; psql says what is wrong with it."}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, (&sqlite{dir: dir}).cannotUse(err)
	}
	p := &postgres{place: placeOf(c.ConnConfig.Config), local: time.Now}
	if _, err := os.Lstat(databaseIn(dir)); !inProcess && !errors.Is(err, fs.ErrNotExist) {
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("server.state is the %s, but there is a state in %s", p.place,
			databaseIn(dir)),
			Hint: "Stop all servers and move it; or take the file away if nobody needs what it holds.",
			Next: []api.Step{api.Do(api.ActionMoveState, "move it")}}
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectTime
	}
	parameters := c.ConnConfig.RuntimeParams
	parameters["application_name"], parameters["client_encoding"] = "da", "UTF8"
	if parameters["search_path"] == "" {
		parameters["search_path"] = ownSchema
	}
	if p.pool, err = pgxpool.NewWithConfig(context.Background(), c); err != nil {
		return nil, p.cannotUse(err)
	}
	p.db = stdlib.OpenDBFromPool(p.pool)
	if err := p.migrate(schema("postgres")); err != nil {
		return nil, errors.Join(p.cannotUse(err), p.close())
	}
	return p, nil
}

// placeOf names a database for messages.
func placeOf(c pgconn.Config) string {
	host := c.Host
	if !strings.HasPrefix(host, "/") {
		host = net.JoinHostPort(c.Host, fmt.Sprint(c.Port))
	}
	return fmt.Sprintf("database %s of PostgreSQL at %s", c.Database, host)
}

// migrate runs the files that this database has not seen, however long they take.
// Servers that start meanwhile wait; those that run go on.
func (p *postgres) migrate(files fs.FS) error {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return err
	}
	slices.Sort(names)
	return p.transact(context.Background(), "migrate", func(tx conn) error {
		var inSchema, inTable sql.NullString
		if err := tx.QueryRow("SELECT current_schema()").Scan(&inSchema); err != nil {
			return err
		}
		// Who may not create anything can use what is there.
		if !inSchema.Valid {
			if _, err := tx.Exec("CREATE SCHEMA " + ownSchema); err != nil {
				return err
			}
		}
		if err := tx.QueryRow("SELECT to_regclass('schema_version')::text").Scan(&inTable); err != nil {
			return err
		}
		if !inTable.Valid {
			if _, err := tx.Exec("CREATE TABLE schema_version AS SELECT 0::bigint AS version"); err != nil {
				return err
			}
		}
		var version int
		if err := tx.QueryRow("SELECT version FROM schema_version").Scan(&version); err != nil {
			return err
		}
		if version > len(names) {
			return fmt.Errorf("it was written by a newer release of da (schema %d, this one knows %d)", version, len(names))
		}
		for _, name := range names[version:] {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(string(text)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if version == len(names) {
			return nil
		}
		_, err := tx.Exec("UPDATE schema_version SET version = $1", len(names))
		return err
	})
}

func (p *postgres) asking(ctx context.Context) conn {
	return conn{ctx: ctx, db: p.db, patience: patience, explain: p.explain}
}

func (p *postgres) change(ctx context.Context, lock string, f func(conn) error) error {
	ctx, stop := within(ctx, patience)
	defer stop()
	return p.transact(ctx, lock, f)
}

// transact waits for the lock, and learns the time in the same statement.
func (p *postgres) transact(ctx context.Context, lock string, f func(conn) error) error {
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted}) // each statement sees what was changed before it
	if err != nil {
		return err
	}
	c := conn{ctx: ctx, db: tx}
	var micros int64
	if err = c.QueryRow(`SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
		FROM (SELECT CASE WHEN $1 <> '' THEN pg_advisory_xact_lock($2, hashtext($1))::text END OFFSET 0) waited`, lock, lockClass).Scan(&micros); err == nil {
		p.clock.Store(&reading{fromMicros(micros), p.local()})
		err = f(c)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// now is the database's time: the clock of this machine only adds what has passed
// since the last change.
func (p *postgres) now() time.Time {
	r := p.clock.Load()
	return r.theirs.Add(p.local().Sub(r.ours))
}

func (p *postgres) close() error {
	err := p.db.Close()
	p.pool.Close()
	return err
}

func (p *postgres) cannotUse(err error) error {
	hint := "Check server.state in the instance file, and that the database runs; psql with the same address says more."
	var refused *pgconn.PgError
	var network *net.OpError
	if errors.As(err, &network) {
		err = network
	}
	if errors.As(err, &refused) {
		err = fmt.Errorf("%s (SQLSTATE %s)", refused.Message, refused.Code)
		switch {
		case refused.Code == "28P01" || refused.Code == "28000":
			hint = "Check its user and password: in the variable that server.state_env names, or in ~/.pgpass."
		case refused.Code == "3D000":
			hint = "Create it: createdb NAME."
		case refused.Code == "42501":
			hint = "Its user has to own the schema " + ownSchema + ", or GRANT CREATE ON DATABASE to it."
		case refused.Code == "25006":
			hint = "It is a standby: name the primary, as with target_session_attrs=read-write."
		}
	}
	return &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("cannot use the server's state in the %s: %v", p.place, err), Hint: hint,
		Err: err}
}

// outages are the classes of SQLSTATE that have nothing to do with a statement:
// connections, resources, a standby, login, shutdown, the system, and damage.
var outages = []string{"08", "25", "28", "3D", "40", "53", "57", "58", "XX"}

func (p *postgres) explain(err error) error {
	var e *api.Error
	var refused *pgconn.PgError
	var connecting *pgconn.ConnectError
	var network net.Error
	switch {
	case err == nil, errors.As(err, &e), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &refused):
		if !slices.Contains(outages, refused.Code[:2]) {
			return err
		}
	case errors.As(err, &connecting), errors.As(err, &network), errors.Is(err, context.DeadlineExceeded), errors.Is(err, driver.ErrBadConn),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, sql.ErrTxDone), errors.Is(err, sql.ErrConnDone),
		pgconn.SafeToRetry(err):
	default:
		return err
	}
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err, Message: "the server cannot reach its state",
		Hint: "Try again later. Its operator looks at the PostgreSQL that holds it; then the server goes on by itself."}
}
