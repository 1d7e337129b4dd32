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
	// maxConnections is the bound where the system sets none.
	maxConnections = 10_000
	// maxRefusals is how many connections are told at a time that they are too
	// many; those beyond are closed without a word. They take descriptors, too:
	// where few connections may be open, a quarter as many are refused in words.
	maxRefusals = 64
	refusalTime = time.Second
)

// connections is a listener that answers 503 for itself where a server has all
// the connections that it may have. Each takes a descriptor, and so do files,
// databases and the engine, which ends the process when it finds none.
type connections struct {
	net.Listener
	most     int64
	certs    *tls.Config // nil: plain HTTP
	open     atomic.Int64
	refusals chan struct{}
}

func boundConnections(ln net.Listener, most int, certs *tls.Config) *connections {
	return &connections{Listener: ln, most: int64(most), certs: certs, refusals: make(chan struct{}, min(maxRefusals, max(1, most/4)))}
}

// Accept waits for the next connection that the server may have.
func (l *connections) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return l.wrap(&counted{Conn: c, open: &l.open}), nil
		}
		l.open.Add(-1)
		select {
		case l.refusals <- struct{}{}:
			go func() {
				defer func() { <-l.refusals }()
				refuse(l.wrap(c))
			}()
		default:
			_ = c.Close() // nothing was said on it
		}
	}
}

func (l *connections) wrap(c net.Conn) net.Conn {
	if l.certs == nil {
		return c
	}
	return tls.Server(c, l.certs)
}

// refuse answers whatever is asked on a connection with 503, and closes it.
func refuse(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(refusalTime)) // a connection that has none is closed
	e := &api.Error{Code: api.CodeUnavailable, Kind: "connections", Message: "the server has as many connections as it may have",
		Hint: "Try again later.", Details: map[string]any{"retry_after_seconds": 1}}
	body, err := json.Marshal(e.Body())
	if err != nil {
		return
	}
	_, err = fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRetry-After: 1\r\nConnection: close\r\n\r\n%s",
		http.StatusServiceUnavailable, http.StatusText(http.StatusServiceUnavailable), len(body), body)
	half, ok := c.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		return
	}
	// Closing before the request is read would take the answer back.
	_, _ = io.Copy(io.Discard, c)
}

// counted is a connection that is counted until it is closed.
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
