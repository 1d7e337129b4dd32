package httpapi

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
)

const (
	// maxConnections is the limit if the system sets none.
	maxConnections = 10_000
	// maxRefusals is how many surplus connections get an answer at a time; any
	// more are just closed. Answering needs a descriptor, too, so the number is at
	// most a quarter of the limit on connections.
	maxRefusals = 64
	refusalTime = time.Second
)

// room is how many connections a server may have, at all of its addresses together.
// Connections need descriptors, and so do files, databases and the engine, which crashes
// the process if there are none left.
type room struct {
	most int64
	open atomic.Int64
}

// full is nil while there is room. A balancer asks before there is none: it then sends
// no more, and those who are here already can still be answered.
func (r *room) full() error {
	if r.open.Load() <= r.most-r.most/10 {
		return nil
	}
	return tooManyConnections()
}

// check says how many of the connections are taken.
func (r *room) check() api.HealthCheck {
	open := r.open.Load()
	check := api.HealthCheck{Name: "connections", Status: api.CheckOK, Says: fmt.Sprintf("%d of %d", open, r.most)}
	if open > r.most/2 {
		check.Status, check.Fix = api.CheckWarning, "Raise server.max_connections and the limit on open files, or add a server."
	}
	return check
}

func tooManyConnections() *api.Error {
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindConnections, Message: "the server has as many connections as it may have",
		Hint: "Try again later.", Details: map[string]any{"retry_after_seconds": 1}}
}

// connections is a listener that answers 503 by itself if the server has no room.
type connections struct {
	net.Listener
	room     *room
	certs    *tls.Config // nil: plain HTTP
	refusals chan struct{}
}

func boundConnections(ln net.Listener, r *room, certs *tls.Config) *connections {
	return &connections{Listener: ln, room: r, certs: certs, refusals: make(chan struct{}, min(maxRefusals, max(1, r.most/4)))}
}

// Accept waits for the next connection below the limit.
func (l *connections) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.room.open.Add(1) <= l.room.most {
			return l.wrap(&counted{Conn: c, open: &l.room.open}), nil
		}
		l.room.open.Add(-1)
		select {
		case l.refusals <- struct{}{}:
			go func() {
				defer func() { <-l.refusals }()
				refuse(l.wrap(c))
			}()
		default:
			_ = c.Close() // nothing was sent on it
		}
	}
}

func (l *connections) wrap(c net.Conn) net.Conn {
	if l.certs == nil {
		return c
	}
	return tls.Server(c, l.certs)
}

// refuse answers any request on a connection with 503, and closes it.
func refuse(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(refusalTime)) // a connection without deadlines is just closed
	body, err := json.Marshal(tooManyConnections().Body())
	if err != nil {
		return
	}
	_, err = fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRetry-After: 1\r\nConnection: close\r\n\r\n%s",
		http.StatusServiceUnavailable, http.StatusText(http.StatusServiceUnavailable), len(body), body)
	half, ok := c.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		return
	}
	// Closing before the request has been read would discard the answer.
	_, _ = io.Copy(io.Discard, c)
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

// Close closes the connection.
func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}
