package mariadb

import (
	"context"
	"crypto/rand"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// statement is a running SELECT.
type statement struct {
	rows   *sql.Rows
	conn   *sql.Conn
	cancel context.CancelFunc
	unwind func() bool // unregisters the function that stops the statement when ctx is done; false if that has already run
}

// run starts a SELECT on its own connection. When ctx is done, the statement is
// also stopped in the engine.
func (m *MariaDB) run(ctx context.Context, query string, args ...any) (*statement, error) {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	who, err := identify(ctx, conn)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	if end, ok := ctx.Deadline(); ok && !m.ownTimeout {
		query = fmt.Sprintf("SET STATEMENT max_statement_time=%.3f FOR %s", max(time.Until(end), 0).Seconds()+1, query)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &statement{conn: conn, cancel: cancel, unwind: context.AfterFunc(ctx, func() { m.kill(who) })}
	if s.rows, err = conn.QueryContext(ctx, query, args...); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// close returns the connection to the pool after all rows have been read.
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

// stop gives up a statement that may still run. Its connection is about to be
// killed, so it must not return to the pool.
func (s *statement) stop() {
	s.cancel() // before the rows are closed, which would read them all
	if s.rows != nil {
		_ = s.rows.Close()
	}
	_ = s.conn.Raw(func(any) error { return sqldriver.ErrBadConn })
	_ = s.conn.Close()
}

// identity finds a connection again. Its number is not enough: it means nothing on
// another server, and behind a load balancer the KILL may reach a server where the
// number belongs to somebody else. So each connection takes a lock with a unique
// name, and only the right server can say who holds it.
type identity struct {
	lock   string // empty if the server gave none
	server string // identifies the server process
}

const (
	// killTime limits how long stopping a statement may take.
	killTime = 5 * time.Second
	// killTries is the number of connections that are opened to reach the right
	// server.
	killTries = 10
	serverSQL = "CONCAT_WS('|', @@hostname, @@port, @@socket, @@server_id, @@datadir, @@pid_file)"
)

var (
	errElsewhere    = errors.New("the order to stop it reached another server")
	errUnidentified = errors.New("the database gave the connection no lock of its own")
)

// identify takes the lock and releases the lock of the previous statement.
func identify(ctx context.Context, conn *sql.Conn) (identity, error) {
	who := identity{lock: "da-" + rand.Text()}
	var left, taken sql.NullInt64
	err := conn.QueryRowContext(ctx, "SELECT RELEASE_ALL_LOCKS(), GET_LOCK('"+who.lock+"', 0), "+serverSQL).Scan(&left, &taken, &who.server)
	if taken.Int64 != 1 {
		who.lock = ""
	}
	return who, err
}

// kill ends a connection in the engine, and with it the statement that runs on it.
func (m *MariaDB) kill(who identity) {
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	var err error
	for range killTries {
		if who.lock == "" {
			err = errUnidentified
			break
		}
		var met bool
		if met, err = m.killHere(ctx, who); met {
			return
		}
	}
	if err == nil {
		err = errElsewhere
	}
	m.log.Warn("a statement that nobody waits for may still run on the database", "cause", err)
}

// killHere ends the connection if this server owns it. It reports whether this is
// the right server.
func (m *MariaDB) killHere(ctx context.Context, who identity) (met bool, err error) {
	conn, err := m.killer.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	var holder sql.NullInt64
	var server string
	if err := conn.QueryRowContext(ctx, "SELECT IS_USED_LOCK('"+who.lock+"'), "+serverSQL).Scan(&holder, &server); err != nil {
		return false, err
	}
	if !holder.Valid {
		return server == who.server, nil // the right server, but the connection has already ended
	}
	// After an error, the next try learns whether the connection has ended meanwhile.
	_, err = conn.ExecContext(ctx, fmt.Sprintf("KILL %d", holder.Int64))
	return err == nil, err
}
