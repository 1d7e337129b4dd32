package client

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
)

// A complete stream may still answer a different request, because of a faulty
// server or a proxy that mixes up answers. The checks here compare it with the
// request, as far as possible.

// wantColumns checks that the columns of a result are the selected ones.
func wantColumns(s *api.Stream, selected []string) *api.Error {
	if len(selected) == 0 {
		return nil
	}
	fields := s.Batches.Schema().Fields()
	if len(fields) != len(selected) {
		return notAsked(s, fmt.Sprintf("it has %d columns, and %d were asked for", len(fields), len(selected)))
	}
	for i, f := range fields {
		if want := unquoted(selected[i]); !strings.EqualFold(f.Name, want) {
			return notAsked(s, fmt.Sprintf("column %d is '%s', and '%s' was asked for", i+1, api.Clip(printable.Line(f.Name), 80),
				api.Clip(want, 80)))
		}
	}
	return nil
}

// unquoted returns the column name of an item in a selection, in any dialect.
func unquoted(item string) string {
	item = strings.TrimSpace(item)
	for _, quote := range []string{`"`, "`"} {
		if inner, ok := strings.CutPrefix(item, quote); ok && strings.HasSuffix(inner, quote) {
			return strings.ReplaceAll(strings.TrimSuffix(inner, quote), quote+quote, quote)
		}
	}
	return item
}

// atMost makes a result fail if it has more rows than requested.
func atMost(s *api.Stream, limit *int64) *api.Stream {
	if limit != nil {
		s.Batches = &limited{RecordReader: s.Batches, stream: s, left: *limit}
	}
	return s
}

// limited is a reader that fails after too many rows.
type limited struct {
	array.RecordReader
	stream *api.Stream
	left   int64
	err    error
}

// Next implements array.RecordReader.
func (l *limited) Next() bool {
	if l.err != nil || !l.RecordReader.Next() {
		return false
	}
	if l.left -= l.RecordBatch().NumRows(); l.left < 0 {
		l.err = notAsked(l.stream, "it has more rows than were asked for")
	}
	return l.err == nil
}

// Err implements array.RecordReader.
func (l *limited) Err() error {
	if l.err != nil {
		return l.err
	}
	return l.RecordReader.Err()
}

func notAsked(s *api.Stream, why string) *api.Error {
	return &api.Error{
		Code: api.CodeStreamCut, Kind: api.KindNotAsked, Message: "the server sent another result than the one asked for: " + why,
		Hint:      "Nothing of it is used. Try again; if it happens each time, give the server's operator the request id.",
		RequestID: s.RequestID,
	}
}
