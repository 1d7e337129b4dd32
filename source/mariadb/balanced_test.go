package mariadb

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/mariatest"
	"github.com/agnes-data/da/source"
)

// balancer is what comes before several servers and lets each new connection
// go to one of them.
type balancer struct {
	address string
	choose  atomic.Pointer[func() *mariatest.Server]
}

func newBalancer(t *testing.T, first *mariatest.Server) *balancer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{address: l.Addr().String()}
	b.send(func() *mariatest.Server { return first })
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // closed
			}
			server, err := (*b.choose.Load())().Dial()
			if err != nil {
				_ = conn.Close()
				continue
			}
			group.Go(func() { _, _ = io.Copy(server, conn); _ = server.Close() })
			group.Go(func() { _, _ = io.Copy(conn, server); _ = conn.Close() })
		}
	})
	t.Cleanup(func() { _ = l.Close() })
	return b
}

// send says where the next connections go.
func (b *balancer) send(choose func() *mariatest.Server) { b.choose.Store(&choose) }

// running are the connections of a server that work on the slow view.
func (d *database) running(t *testing.T) (ids []int64) {
	t.Helper()
	rows, err := d.admin.QueryContext(context.Background(), "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE '%slow%' AND ID <> CONNECTION_ID()")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return ids
}

// until waits for so many of them, and returns the first.
func (d *database) until(t *testing.T, n int) int64 {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; {
		switch ids := d.running(t); {
		case len(ids) == n && n == 0:
			return 0
		case len(ids) == n:
			return ids[0]
		case time.Now().After(end):
			t.Fatalf("%d statements run, want %d", len(ids), n)
		}
	}
}

// numbered opens connections until one has a number.
func (d *database) numbered(t *testing.T, id int64) *sql.Conn {
	t.Helper()
	for {
		switch conn, got := d.number(t); {
		case got == id:
			return conn
		case got > id:
			t.Fatalf("number %d is gone, the next is %d", id, got)
		}
	}
}

// lines are what is logged, a line each.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// TestBehindALoadBalancer stops a statement where the order to stop it reaches
// a server on which its connection's number is another's.
func TestBehindALoadBalancer(t *testing.T) {
	one, two := mariatest.New(t), mariatest.New(t)
	busy, other := newDatabase(t, one), newDatabase(t, two)
	busy.exec(t, "CREATE OR REPLACE VIEW shop.slow AS SELECT CAST(a.seq AS INT) AS n FROM shop.seq_1_to_1000000 a, shop.seq_1_to_1000000 b WHERE a.seq + b.seq < 0")
	front := newBalancer(t, one)
	logged := make(lines, 100)
	m, err := Open(Options{DSN: fmt.Sprintf("root@tcp(%s)/shop", front.address), Log: slog.New(slog.NewTextHandler(logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	// start runs a statement on the first server, and opens a connection of its
	// number on the second.
	start := func(t *testing.T) (stop func(), victim *sql.Conn) {
		// The other server's numbers must not have got further.
		_, behind := busy.number(t)
		busy.numbered(t, behind+20)
		front.send(func() *mariatest.Server { return one })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			r, err := m.Scan(ctx, source.Scan{Relation: source.Relation{Name: "slow"}, Select: []string{"n"}})
			if err == nil {
				r.Next()
				err = r.Err()
				r.Release()
			}
			ended <- err
		}()
		victim = other.numbered(t, busy.until(t, 1))
		return func() {
			cancel()
			if err := <-ended; err == nil {
				t.Error("the statement ended by itself")
			}
		}, victim
	}
	alive := func(t *testing.T, victim *sql.Conn) {
		t.Helper()
		if err := victim.PingContext(t.Context()); err != nil {
			t.Errorf("somebody else's connection: %v", err)
		}
	}
	t.Run("which comes to the right server at last", func(t *testing.T) {
		stop, victim := start(t)
		turn := 0
		front.send(func() *mariatest.Server { turn++; return []*mariatest.Server{one, two}[turn%2] })
		stop()
		busy.until(t, 0)
		alive(t, victim)
		select {
		case line := <-logged:
			t.Errorf("logged: %s", line)
		default:
		}
	})
	t.Run("which does not", func(t *testing.T) {
		stop, victim := start(t)
		front.send(func() *mariatest.Server { return two })
		stop()
		if line := <-logged; !strings.Contains(line, "level=WARN") || !strings.Contains(line, "another server") {
			t.Errorf("logged: %s", line)
		}
		alive(t, victim)
		busy.exec(t, fmt.Sprintf("KILL %d", busy.until(t, 1)))
	})
}

// number opens a connection, and tells its number.
func (d *database) number(t *testing.T) (conn *sql.Conn, id int64) {
	t.Helper()
	conn, err := d.admin.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // nothing was written
	if err := conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return conn, id
}
