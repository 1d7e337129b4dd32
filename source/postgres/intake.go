package postgres

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// intake is what the driver reads a connection through. It reads much at once,
// because the engine writes in small pieces, and it can give the rows of a result
// to a reader straight from its buffer. The driver would copy each row and list
// its values, which takes about as long as decoding them.
type intake struct {
	from io.Reader
	// buf[start:end] has arrived and has not been used.
	buf        []byte
	start, end int
	// driver counts the bytes that are left of a message for the driver.
	driver int
	// mark is the rest of a message that tells the driver to return to its caller.
	mark []byte
	// rows takes complete rows, with the heads of their messages, from the front
	// of data, and returns how many bytes it used. With enough, the driver returns
	// to its caller. If rows is nil, the driver gets the rows.
	rows func(data []byte) (used int, enough bool)
	// scant says that the last read of rows brought little: then the next one waits for
	// this long.
	scant  bool
	moment time.Duration
}

// Sizes of the buffer, of the head of a message (its type and length), and of the
// longest message that the protocol allows.
const (
	readAhead   = 256 << 10
	headSize    = 5
	longestSize = 1 + math.MaxInt32
)

// The engine writes 8 kB at a time. If it is slower than this process, each of these
// wakes a reader up, which costs both as much as reading some 10 kB. So a reader that
// got little lets the socket fill for a moment, in which it does not get full.
const (
	little = 64 << 10
	moment = 100 * time.Microsecond
)

// rowless is a row without values: the driver returns to its caller at each row.
var rowless = []byte{'D', 0, 0, 0, 6, 0, 0}

// intakeKey is the key of a connection's intake in its custom data.
const intakeKey = "intake"

// withIntake configures a new connection to be read directly, through an intake.
func withIntake(_ context.Context, c *pgx.ConnConfig) error {
	c.DialFunc = dialDirect(c.DialFunc)
	var in *intake // of the last address tried
	c.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		in = &intake{from: r, buf: make([]byte, readAhead), moment: moment}
		return pgproto3.NewFrontend(in, w)
	}
	c.AfterConnect = func(_ context.Context, conn *pgconn.PgConn) error {
		conn.CustomData()[intakeKey] = in
		return nil
	}
	return nil
}

// intakeOf returns the intake of a connection.
func intakeOf(conn *pgx.Conn) *intake { return conn.PgConn().CustomData()[intakeKey].(*intake) }

// give makes the rows of the next result go to a reader; with nil, to the driver.
func (in *intake) give(rows func(data []byte) (used int, enough bool)) {
	in.rows, in.scant = rows, false
}

// Read gives the driver its messages.
func (in *intake) Read(p []byte) (int, error) {
	if in.driver == 0 && len(in.mark) == 0 {
		if err := in.pass(); err != nil {
			return 0, err
		}
	}
	if len(in.mark) > 0 {
		n := copy(p, in.mark)
		in.mark = in.mark[n:]
		return n, nil
	}
	if err := in.fill(1); err != nil {
		return 0, err
	}
	n := copy(p, in.buf[in.start:min(in.end, in.start+in.driver)])
	in.start += n
	in.driver -= n
	return n, nil
}

// pass gives rows to their reader until there is a message for the driver.
func (in *intake) pass() error {
	for {
		if err := in.fill(headSize); err != nil {
			return err
		}
		head := in.buf[in.start:]
		size := 1 + int(binary.BigEndian.Uint32(head[1:]))
		if in.rows == nil || head[0] != 'D' || size < headSize || size > longestSize {
			in.driver = max(size, headSize) // it refuses impossible sizes
			return nil
		}
		if err := in.fill(size); err != nil {
			return err
		}
		used, enough := in.rows(in.buf[in.start:in.end])
		in.start += used
		if enough {
			in.mark = rowless
			return nil
		}
	}
}

// fill reads until n bytes are there. The buffer grows with what arrives, because
// a size that a message announces may be wrong.
func (in *intake) fill(n int) error {
	for in.end-in.start < n {
		switch {
		case in.start == in.end && len(in.buf) > readAhead: // after a long row
			in.buf = make([]byte, readAhead)
			fallthrough
		case in.start == in.end:
			in.start, in.end = 0, 0
		case len(in.buf)-in.start < n && in.start > 0:
			in.end = copy(in.buf, in.buf[in.start:in.end])
			in.start = 0
		case in.end == len(in.buf):
			in.buf = append(in.buf, make([]byte, len(in.buf))...)
		}
		if in.scant {
			time.Sleep(in.moment) //nolint:forbidigo // nothing tells when the socket has enough
		}
		k, err := in.from.Read(in.buf[in.end:])
		in.scant = in.rows != nil && k < little
		in.end += k
		if err != nil && in.end-in.start < n {
			return err
		}
	}
	return nil
}
