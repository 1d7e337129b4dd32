package postgres

import (
	"context"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"
)

// direct is a connection that waits in the system, each read in a thread. Go's poller
// would be woken by each 8 kB that the engine writes, even while a reader pauses to let
// the socket fill, which took a tenth of a scan's time.
type direct struct {
	file          *os.File
	local, remote net.Addr
	expired       atomic.Bool

	mu       sync.Mutex
	deadline *time.Timer // nil if there is none
}

var _ net.Conn = (*direct)(nil)

// dialDirect makes the connections of a dial function direct.
func dialDirect(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		return newDirect(conn)
	}
}

// newDirect returns a direct connection over the socket of another one, which the
// caller closes.
func newDirect(conn net.Conn) (*direct, error) {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, failed := -1, error(nil)
	err = raw.Control(func(of uintptr) {
		if fd, failed = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0); failed == nil {
			failed = syscall.SetNonblock(fd, false) // a file that blocks is not given to the poller
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		if fd >= 0 {
			_ = syscall.Close(fd)
		}
		return nil, err
	}
	return &direct{file: os.NewFile(uintptr(fd), conn.RemoteAddr().String()), local: conn.LocalAddr(), remote: conn.RemoteAddr()}, nil
}

// Read waits for the engine.
func (d *direct) Read(p []byte) (int, error) {
	n, err := d.file.Read(p)
	return n, d.reason(err)
}

// Write waits until the socket has taken all of p.
func (d *direct) Write(p []byte) (int, error) {
	n, err := d.file.Write(p)
	return n, d.reason(err)
}

// reason is the error of an operation: after the deadline, that is the reason for all.
func (d *direct) reason(err error) error {
	if err != nil && d.expired.Load() {
		return os.ErrDeadlineExceeded
	}
	return err
}

// Close ends the connection, and whatever waits for it.
func (d *direct) Close() error {
	_ = d.SetDeadline(time.Time{})
	d.hangUp()
	return d.file.Close()
}

// hangUp ends what waits for the connection: closing the file alone would not.
func (d *direct) hangUp() {
	if raw, err := d.file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RDWR) }) // fails if the engine has hung up
	}
}

// SetDeadline sets when the connection ends; never, if t is zero. Unlike others, a
// connection whose deadline has passed stays unusable, since the driver closes it then.
func (d *direct) SetDeadline(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.deadline != nil {
		d.deadline.Stop()
		d.deadline = nil
	}
	if !t.IsZero() {
		d.deadline = time.AfterFunc(time.Until(t), func() {
			d.expired.Store(true)
			d.hangUp()
		})
	}
	return nil
}

// SetReadDeadline sets the deadline of the connection.
func (d *direct) SetReadDeadline(t time.Time) error { return d.SetDeadline(t) }

// SetWriteDeadline sets the deadline of the connection.
func (d *direct) SetWriteDeadline(t time.Time) error { return d.SetDeadline(t) }

// LocalAddr is the address of this end.
func (d *direct) LocalAddr() net.Addr { return d.local }

// RemoteAddr is the address of the engine.
func (d *direct) RemoteAddr() net.Addr { return d.remote }
