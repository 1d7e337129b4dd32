package mysql

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
	unwind func() bool // takes back the order to stop it
}

// run starts a SELECT on a connection of its own. When ctx is done the engine
// stops it, too.
func (m *MySQL) run(ctx context.Context, query string, args ...any) (*statement, error) {
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

// A connection's number means nothing on another server, and behind a load
// balancer the order to end it may reach one, where it is somebody else's. So
// each connection takes a lock of a name that nobody else has: only the server
// that it belongs to can say who holds it.
type identity struct {
	lock   string
	server string // how its server calls itself
}

const (
	// killTime is how long the engine may take to stop a statement.
	killTime = 5 * time.Second
	// killTries is how many connections are made to find its server.
	killTries = 10
	serverSQL = "CONCAT_WS('|', @@hostname, @@port, @@socket, @@server_id, @@datadir, @@pid_file)"
)

var errElsewhere = errors.New("the order to stop it reached another server")

// identify takes the lock, and leaves that of the statement before.
func identify(ctx context.Context, conn *sql.Conn) (identity, error) {
	who := identity{lock: "da-" + rand.Text()}
	var left, taken sql.NullInt64
	err := conn.QueryRowContext(ctx, "SELECT RELEASE_ALL_LOCKS(), GET_LOCK('"+who.lock+"', 0), "+serverSQL).Scan(&left, &taken, &who.server)
	return who, err
}

// kill ends a connection in the engine, with whatever it works on.
func (m *MySQL) kill(who identity) {
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	var err error
	for range killTries {
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

// killHere ends the connection if it belongs to the server that is reached, and
// reports whether it was that server.
func (m *MySQL) killHere(ctx context.Context, who identity) (met bool, err error) {
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
		return server == who.server, nil // of which the connection has gone by itself
	}
	_, _ = conn.ExecContext(ctx, fmt.Sprintf("KILL %d", holder.Int64)) // it may be gone meanwhile
	return true, nil
}
