package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine is the maximum length of an input line in bytes. Statements have at
// most 1 MiB.
const maxLine = 8 << 20

// messages filters broken messages out of a session's input, because the library
// would end the session on them. It answers their sender with the protocol's
// error. It splits batches into single messages.
type messages struct {
	in   *bufio.Reader
	out  io.Writer
	next []byte // complete, valid lines
	err  error
}

func newMessages(in io.Reader, out io.Writer) *messages {
	return &messages{in: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.next) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		line, tooLong, err := m.line()
		m.err = err
		if tooLong {
			m.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d MiB", maxLine>>20))
			continue
		}
		m.take(line)
	}
	n := copy(p, m.next)
	m.next = m.next[n:]
	return n, nil
}

// line reads a whole line, and keeps it if it is not too long.
func (m *messages) line() (line []byte, tooLong bool, err error) {
	for {
		part, err := m.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// take accepts a line, or answers what is wrong with it.
func (m *messages) take(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if !json.Valid(line) {
		m.refuse(nil, jsonrpc.CodeParseError, "a line is not JSON")
		return
	}
	if line[0] != '[' {
		m.handle(line)
		return
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
		m.refuse(nil, jsonrpc.CodeInvalidRequest, "a batch has at least one message")
		return
	}
	for _, message := range batch {
		m.handle(message)
	}
}

func (m *messages) handle(message []byte) {
	if _, err := jsonrpc.DecodeMessage(message); err != nil {
		m.refuse(idOf(message), jsonrpc.CodeInvalidRequest, "a message is an object of JSON-RPC 2.0: "+err.Error())
		return
	}
	var line bytes.Buffer
	_ = json.Compact(&line, message) // cannot fail: it is valid
	m.next = append(append(m.next, line.Bytes()...), '\n')
}

// idOf returns the id of a broken message; nil if it has no usable id.
func idOf(message []byte) json.RawMessage {
	var has struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(message, &has) != nil || len(has.ID) == 0 || bytes.ContainsAny(has.ID[:1], "{[tfn") {
		return nil
	}
	return has.ID
}

// refuse answers a message that is not a valid request.
func (m *messages) refuse(id json.RawMessage, code int64, why string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return
	}
	_, _ = m.out.Write(append(line, '\n')) // ignore a client that does not read
}

// lockedWriter lets several goroutines write whole messages.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (t *lockedWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.w.Write(p)
}
