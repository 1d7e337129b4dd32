package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jackc/pgx/v5/pgproto3"
)

// message is a message of the engine's.
func message(kind byte, body []byte) []byte {
	out := binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(body)))
	return append(out, body...)
}

// rowOf is the message of a row with one value.
func rowOf(value string) []byte {
	body := binary.BigEndian.AppendUint32([]byte{0, 1}, uint32(len(value)))
	return message('D', append(body, value...))
}

// collected takes rows off an intake and keeps their values. It says enough after
// each row that is a multiple of every.
type collected struct {
	values []string
	every  int
}

func (c *collected) take(data []byte) (used int, enough bool) {
	for len(data)-used >= headSize && data[used] == 'D' && !enough {
		size := 1 + int(binary.BigEndian.Uint32(data[used+1:]))
		if size > len(data)-used {
			break
		}
		c.values = append(c.values, string(data[used+headSize+6:used+size]))
		used += size
		enough = len(c.values)%c.every == 0
	}
	return used, enough
}

// TestRowsLeaveTheDriverOut holds that rows go to their reader and everything else
// to the driver in its order, however the bytes arrive: messages may be cut
// anywhere, lie between rows, and be larger than the buffer.
func TestRowsLeaveTheDriverOut(t *testing.T) {
	var sent []byte
	var want []string
	for i := range 300 {
		value := fmt.Sprint("value", i)
		if i%100 == 50 {
			value = strings.Repeat("long", readAhead/2)
		}
		want = append(want, value)
		sent = append(sent, rowOf(value)...)
		if i%7 == 0 { // the engine may say so at any time
			sent = append(sent, message('S', fmt.Appendf(nil, "name\x00%d\x00", i))...)
		}
	}
	sent = append(sent, message('C', []byte("SELECT 300\x00"))...)
	for name, from := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "bytes": iotest.OneByteReader, "with the error": iotest.DataErrReader,
	} {
		c := &collected{every: 100}
		in := &intake{from: from(bytes.NewReader(sent)), buf: make([]byte, readAhead), rows: c.take}
		driver := pgproto3.NewFrontend(in, io.Discard)
		statuses, stops := 0, []int{}
		for done := false; !done; {
			m, err := driver.Receive()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch m := m.(type) {
			case *pgproto3.ParameterStatus:
				if m.Value != fmt.Sprint(7*statuses) {
					t.Errorf("%s: the status %s is the one of number %d", name, m.Value, statuses)
				}
				statuses++
			case *pgproto3.DataRow:
				if len(m.Values) != 0 {
					t.Errorf("%s: the driver has a row", name)
				}
				stops = append(stops, len(c.values))
			case *pgproto3.CommandComplete:
				done = true
			}
		}
		if !slices.Equal(c.values, want) || statuses != 43 || !slices.Equal(stops, []int{100, 200, 300}) {
			t.Errorf("%s: %d values, %d statuses, stops at %v", name, len(c.values), statuses, stops)
		}
		if _, err := driver.Receive(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v behind the end", name, err)
		}
	}
}

// TestDriverHasRowsWithoutReader holds that rows go to the driver where no reader
// takes them, as those of a statement that was given up do.
func TestDriverHasRowsWithoutReader(t *testing.T) {
	in := &intake{from: iotest.HalfReader(bytes.NewReader(slices.Concat(rowOf("a"), rowOf(strings.Repeat("b", 2*readAhead))))), buf: make([]byte, readAhead)}
	driver := pgproto3.NewFrontend(in, io.Discard)
	for _, want := range []string{"a", strings.Repeat("b", 2*readAhead)} {
		m, err := driver.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if row, ok := m.(*pgproto3.DataRow); !ok || len(row.Values) != 1 || string(row.Values[0]) != want {
			t.Errorf("%T in place of a row of %d bytes", m, len(want))
		}
	}
}

// TestAnnouncedSizesAreNotBelieved holds that memory follows what has arrived, and
// that the driver refuses sizes that no message has.
func TestAnnouncedSizesAreNotBelieved(t *testing.T) {
	for _, head := range [][]byte{{'D', 0x7F, 0xFF, 0xFF, 0xFF}, {'D', 0xFF, 0xFF, 0xFF, 0xFF}, {'D', 0, 0, 0, 3}, {'D', 0, 0, 0, 0}} {
		possible := head[1] == 0x7F
		c := &collected{every: 1}
		in := &intake{from: bytes.NewReader(append(head, "0123456789"...)), buf: make([]byte, readAhead), rows: c.take}
		if _, err := pgproto3.NewFrontend(in, io.Discard).Receive(); err == nil || errors.Is(err, io.ErrUnexpectedEOF) != possible || len(c.values) > 0 {
			t.Errorf("% x: %v, %d rows", head, err, len(c.values))
		}
		if len(in.buf) > readAhead {
			t.Errorf("% x: %d bytes are kept for 10", head, len(in.buf))
		}
	}
}

// TestBufferShrinks holds that a connection does not keep the room for a long row.
func TestBufferShrinks(t *testing.T) {
	c := &collected{every: 1}
	sent := slices.Concat(rowOf(strings.Repeat("a", 5*readAhead)), message('C', []byte("SELECT 1\x00")))
	in := &intake{from: iotest.OneByteReader(bytes.NewReader(sent)), buf: make([]byte, readAhead), rows: c.take}
	driver := pgproto3.NewFrontend(in, io.Discard)
	for range 2 {
		if _, err := driver.Receive(); err != nil {
			t.Fatal(err)
		}
	}
	if len(in.buf) != readAhead {
		t.Errorf("it keeps %d bytes", len(in.buf))
	}
}

// TestRowsOfAnotherForm gives a reader rows that do not have the form of its
// columns.
func TestRowsOfAnotherForm(t *testing.T) {
	for name, body := range map[string][]byte{
		"empty": {}, "no columns": {0, 0}, "more columns": {0, 2, 0, 0, 0, 0, 0, 0, 0, 0}, "no size": {0, 1, 0, 0}, "too long": {0, 1, 0, 0, 0, 9, 1},
		"negative": {0, 1, 0xFF, 0xFF, 0xFF, 0xFE}, "a rest": {0, 1, 0, 0, 0, 1, 'a', 'b'},
	} {
		r := &reader{columns: make([]column, 1), vectors: []vector{&flags{}}, spans: make([][]span, 1)}
		if used, enough := r.take(message('D', body)); used != headSize+len(body) || !enough || !errors.Is(r.err, errForm) {
			t.Errorf("%s: %d bytes, enough %t, %v", name, used, enough, r.err)
		}
	}
}
