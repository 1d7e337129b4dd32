package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/internal/bench/marks"
	"github.com/agnes-data/da/internal/bench/process"
)

// line is a connection of so many bits a second, on which a byte travels for half
// of the round trip.
type line struct {
	name string
	bits int64 // a second
	trip time.Duration
}

var lines = []line{{"100 Mbit/s, 20 ms", 100e6, 20 * time.Millisecond}, {"20 Mbit/s, 80 ms", 20e6, 80 * time.Millisecond}}

// linePiece is how many bytes travel at a time.
const linePiece = 16 << 10

// lateness is how late a sleep may end. Without it, the line would stand still for a
// millisecond behind each piece, which itself takes one at 100 Mbit/s.
const lateness = 5 * time.Millisecond

// proxy passes connections on to a server by way of a line, and counts what comes
// back, and for how long.
type proxy struct {
	line
	net.Listener
	to    string
	bytes atomic.Int64
	busy  atomic.Int64 // nanoseconds that the line took for them
}

func (l line) to(server string) (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{line: l, Listener: listener, to: server}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.carry(client)
		}
	}()
	return p, nil
}

func (p *proxy) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return // the client sees the end
	}
	defer server.Close()
	go func() { _ = p.pass(server, client, nil); _ = server.Close() }()
	_ = p.pass(client, server, &p.bytes)
}

// flying is a piece on the line, and when it arrives.
type flying struct {
	data []byte
	at   time.Time
}

// pass carries bytes one way until one end closes.
func (p *proxy) pass(to io.Writer, from io.Reader, counted *atomic.Int64) error {
	way := make(chan flying, 1+int(p.bits/8*int64(p.trip)/int64(time.Second)/linePiece)) // what fits on the line
	failed := make(chan error, 1)
	go func() {
		var err error
		for f := range way {
			time.Sleep(time.Until(f.at))
			if err == nil {
				_, err = to.Write(f.data)
			}
		}
		failed <- err
	}()
	var free time.Time // when the line can take the next piece
	for {
		buf := make([]byte, linePiece)
		n, err := from.Read(buf)
		if n > 0 {
			took := time.Duration(int64(n) * 8 * int64(time.Second) / p.bits)
			if now := time.Now(); now.Sub(free) > lateness {
				free = now // the line had nothing to do
			}
			free = free.Add(took)
			if counted != nil {
				counted.Add(int64(n))
				p.busy.Add(int64(took))
			}
			way <- flying{buf[:n], free.Add(p.trip / 2)}
			time.Sleep(time.Until(free))
		}
		if err != nil {
			close(way)
			return errors.Join(<-failed, err)
		}
	}
}

// linePart makes every fetch through slow lines. The proxy is on this machine, so
// the file comes as it does over loopback, by snappy: by zstd it is a sixth smaller.
// The bar is what the line takes for the file, and DuckDB for making it. A proxy
// that is faster than its line by the clock ends the measurement.
func linePart(ctx context.Context, w *world) error {
	table := w.table("line", "bytes on it", "file", "da fetch, wall", "file ÷ line + COPY", "ratio")
	for _, c := range w.fetchCases() {
		for _, l := range lines {
			for _, v := range w.variants {
				if err := w.as(v).lineRow(ctx, table, c, l); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// lineRow measures a fetch through a line.
func (w *world) lineRow(ctx context.Context, table *marks.Table, c fetchCase, l line) error {
	var fetches, copies []process.Sample
	var sent, file int64
	for range w.runs {
		copied, _, err := w.copied(ctx, c)
		if err != nil {
			return err
		}
		f, n, err := w.fetchThrough(ctx, l, c)
		if err != nil {
			return err
		}
		copies, fetches, sent, file = append(copies, copied), append(fetches, f.client), n, f.bytes
	}
	reference := time.Duration(file*8*int64(time.Second)/l.bits) + process.Median(copies, process.Wall)
	took := process.Median(fetches, process.Wall)
	table.Row(fmt.Sprintf("%s: %s%s", l.name, c.what, w.note), megabytes(sent), megabytes(file),
		milliseconds(took), milliseconds(reference), fmt.Sprintf("%.2f", float64(took)/float64(reference)))
	return nil
}

// fetchThrough runs a fetch by way of a line, and returns the bytes that came.
func (w *world) fetchThrough(ctx context.Context, l line, c fetchCase) (fetched, int64, error) {
	home, err := os.MkdirTemp(w.dir, "home-")
	if err != nil {
		return fetched{}, 0, err
	}
	defer os.RemoveAll(home)
	s, err := w.serve(ctx)
	if err != nil {
		return fetched{}, 0, err
	}
	defer func() { _, _ = s.stop() }() // its figures are those of fetchPart
	server, err := url.Parse(s.url)
	if err != nil {
		return fetched{}, 0, err
	}
	p, err := l.to(server.Host)
	if err != nil {
		return fetched{}, 0, err
	}
	defer p.Close()
	env := s.env(home)
	for i := range env {
		env[i] = strings.ReplaceAll(env[i], s.url, "http://"+p.Addr().String())
	}
	f, err := w.fetchAs(ctx, env, c.args...)
	if err == nil && f.client.Wall < time.Duration(p.busy.Load()) {
		err = fmt.Errorf("the line of %s passed %d bytes in %s", l.name, p.bytes.Load(), f.client.Wall)
	}
	return f, p.bytes.Load(), err
}
