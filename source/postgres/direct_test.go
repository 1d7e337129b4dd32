package postgres

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// directPair returns a direct connection and its other end.
func directPair(t *testing.T, network, addr string) (*direct, net.Conn) {
	t.Helper()
	listener, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := net.Dial(network, listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	other, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	d, err := newDirect(conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if d.RemoteAddr().String() != listener.Addr().String() || d.LocalAddr() == nil {
		t.Errorf("it goes from %v to %v", d.LocalAddr(), d.RemoteAddr())
	}
	return d, other
}

// TestDirectConnections holds that whatever waits for a connection ends with it, at
// its deadline or by the other end, and that bytes go both ways.
func TestDirectConnections(t *testing.T) {
	for network, addr := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "s")} {
		for name, c := range map[string]struct {
			end  func(d *direct, other net.Conn)
			want error
		}{
			"closed":    {func(d *direct, _ net.Conn) { d.Close() }, nil},
			"deadline":  {func(d *direct, _ net.Conn) { _ = d.SetDeadline(time.Now()) }, os.ErrDeadlineExceeded},
			"other end": {func(_ *direct, other net.Conn) { other.Close() }, io.EOF},
		} {
			t.Run(network+" "+name, func(t *testing.T) {
				d, other := directPair(t, network, addr)
				_ = d.SetDeadline(time.Now().Add(time.Hour))
				_ = d.SetDeadline(time.Time{})
				if _, err := d.Write([]byte("question")); err != nil {
					t.Fatal(err)
				}
				buf := make([]byte, 8)
				if _, err := io.ReadFull(other, buf); err != nil || string(buf) != "question" {
					t.Fatalf("%q, %v", buf, err)
				}
				if _, err := other.Write([]byte("answer")); err != nil {
					t.Fatal(err)
				}
				if n, err := d.Read(buf); err != nil || string(buf[:n]) != "answer" {
					t.Fatalf("%q, %v", buf[:n], err)
				}
				ended := make(chan error)
				go func() {
					_, err := d.Read(buf)
					ended <- err
				}()
				c.end(d, other)
				if err := <-ended; err == nil || c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("a read ends with %v", err)
				}
			})
		}
	}
}
