package mcpserver

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTime is how long calls may continue after the end of the input: long
// enough for a script that pipes calls in, short enough for a client that has
// gone away.
const drainTime = 3 * time.Second

// ServeStdio answers the messages of in on out, one per line, until in ends or
// ctx is done. It closes neither.
func ServeStdio(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	return serveStdio(ctx, s, in, out, drainTime)
}

func serveStdio(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer, drain time.Duration) error {
	shared := &lockedWriter{w: out}
	err := s.Run(ctx, &draining{Transport: &mcp.IOTransport{Reader: io.NopCloser(newMessages(in, shared)), Writer: noClose{shared}},
		drain: drain})
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil //nolint:nilerr // clients end the session by closing the input
	}
	return err
}

// noClose keeps the protocol from closing a writer.
type noClose struct{ io.Writer }

func (noClose) Close() error { return nil }

// draining is a transport whose input ends only after all received requests have
// been answered, or the time for that has run out.
type draining struct {
	mcp.Transport
	drain time.Duration
}

// Connect implements mcp.Transport.
func (d *draining) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := d.Transport.Connect(ctx)
	return &drainingConn{Connection: c, drain: d.drain, closed: make(chan struct{}), open: map[jsonrpc.ID]bool{}}, err
}

type drainingConn struct {
	mcp.Connection
	drain  time.Duration
	closed chan struct{}
	once   sync.Once

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // requests without an answer
	idle chan struct{}       // set once the input has ended; closed when open becomes empty
}

// Read implements mcp.Connection.
func (c *drainingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	c.mu.Lock()
	if req, ok := m.(*jsonrpc.Request); ok && err == nil && req.IsCall() {
		c.open[req.ID] = true
	}
	var idle chan struct{}
	if errors.Is(err, io.EOF) && len(c.open) > 0 {
		idle = make(chan struct{})
		c.idle = idle
	}
	c.mu.Unlock()
	if idle != nil {
		timer := time.NewTimer(c.drain)
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C:
		case <-ctx.Done():
		case <-c.closed:
		}
	}
	return m, err
}

// Write implements mcp.Connection.
func (c *drainingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if res, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, res.ID)
		if len(c.open) == 0 && c.idle != nil {
			close(c.idle)
			c.idle = nil
		}
		c.mu.Unlock()
	}
	return err
}

// Close implements mcp.Connection.
func (c *drainingConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
