package tables

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// streamed writes the answer of da table query or rows as one JSON object while
// its rows arrive, however many there are. It writes nothing before the first
// row.
type streamed struct {
	w     io.Writer
	head  []byte // the members before the rows; nil once written
	rows  bool   // at least one row was written
	line  []byte
	fault error
}

// named receives the columns of the rows.
func (s *streamed) named(columns, types []string) {
	head, err := json.Marshal(struct {
		Columns []string `json:"columns"`
		Types   []string `json:"column_types"`
	}{columns, types})
	s.fault = err
	s.head = append(head[:len(head)-1], `,"rows":[`...)
}

// take receives the rows.
func (s *streamed) take(any) func(arrow.RecordBatch) {
	return func(batch arrow.RecordBatch) {
		columns := arrowjson.BindBatch(batch)
		for i := range int(batch.NumRows()) {
			s.line = s.line[:0]
			if s.rows {
				s.line = append(s.line, ',')
			}
			s.rows = true
			s.line = append(s.line, '[')
			for j, c := range columns {
				if j > 0 {
					s.line = append(s.line, ',')
				}
				s.line = c.AppendJSON(s.line, i)
			}
			s.write(append(s.line, ']'))
		}
	}
}

// end writes the members of the answer after the rows.
func (s *streamed) end(answer any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("write as JSON: %w", err)
	}
	var members api.Row
	if err := json.Unmarshal(text, &members); err != nil {
		return fmt.Errorf("write as JSON: %w", err)
	}
	var b strings.Builder
	b.WriteByte(']')
	for i, name := range members.Columns {
		if name == "columns" || name == "column_types" || name == "rows" {
			continue
		}
		value, err := json.Marshal(members.Values[i])
		if err != nil {
			return fmt.Errorf("write as JSON: %w", err)
		}
		fmt.Fprintf(&b, ",%q:%s", name, value)
	}
	s.write([]byte(b.String() + "}\n"))
	return s.fault
}

func (s *streamed) write(text []byte) {
	if s.fault == nil && s.head != nil {
		_, s.fault = s.w.Write(arrowjson.Harmless(s.head))
		s.head = nil
	}
	if s.fault == nil {
		_, s.fault = s.w.Write(arrowjson.Harmless(text))
	}
}

// stream prints an answer with any number of rows as JSON. read passes the rows
// to its argument, and returns the answer without them.
func stream(a *app.App, read func(*streamed) (any, error)) error {
	return a.Page(func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 64<<10)
		s := &streamed{w: buffered}
		answer, err := read(s)
		if err == nil {
			err = s.end(answer)
		}
		return cmp.Or(err, buffered.Flush())
	})
}
