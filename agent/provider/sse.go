package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// Maximum sizes of an event and of a reply, in bytes.
const (
	maxEvent = 8 << 20
	maxReply = 32 << 20
)

// errTooLarge ends the reading of a reply that is larger than any should be.
var errTooLarge = errors.New("the reply of the model is too large")

// event is one server-sent event.
type event struct {
	name string
	data []byte
}

// events reads server-sent events, however the network has cut them.
type events struct {
	lines *bufio.Scanner
	total int
}

func newEvents(r io.Reader) *events {
	e := &events{lines: bufio.NewScanner(r)}
	e.lines.Buffer(make([]byte, 0, 16<<10), maxEvent)
	e.lines.Split(splitLine)
	return e
}

// next returns the next event that has data, or io.EOF at the end. An event that
// is not followed by an empty line was cut off and is not returned.
func (e *events) next() (event, error) {
	var ev event
	var data [][]byte
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if e.total += len(line); e.total > maxReply {
			return event{}, errTooLarge
		}
		if len(line) == 0 {
			if data == nil {
				ev = event{}
				continue
			}
			ev.data = bytes.Join(data, []byte("\n"))
			return ev, nil
		}
		field, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			ev.name = value
		case "data":
			data = append(data, []byte(value))
		}
	}
	switch err := e.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return event{}, errTooLarge
	case err != nil:
		return event{}, err
	}
	return event{}, io.EOF
}

// splitLine splits at line feeds, carriage returns, and both together.
func splitLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	i := bytes.IndexAny(data, "\r\n")
	switch {
	case i < 0 && atEOF && len(data) > 0:
		return len(data), data, nil
	case i < 0:
		return 0, nil, nil
	case data[i] == '\n':
		return i + 1, data[:i], nil
	case i+1 < len(data) && data[i+1] == '\n':
		return i + 2, data[:i], nil
	case i+1 < len(data) || atEOF:
		return i + 1, data[:i], nil
	}
	return 0, nil, nil // a line feed may follow
}
