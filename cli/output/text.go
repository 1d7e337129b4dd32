package output

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// encoder writes rows as text. It appends to a buffer that its caller empties.
type encoder interface {
	head(dst []byte) []byte
	row(dst []byte, columns []*arrowjson.Column, i int) []byte
	tail(dst []byte) []byte
}

// flushAt is how many bytes of text are buffered before a write. Text is also
// written after every batch, so that slow results appear as they come.
const flushAt = 64 << 10

// writeText streams rows in one of the text formats.
func writeText(w io.Writer, rows *limited, f Format, o Options) (warnings []string, err error) {
	enc, warnings := newEncoder(f, rows.Schema(), o)
	to := sink{w}
	buf := enc.head(nil)
	for rows.Next() {
		batch := rows.RecordBatch()
		columns := arrowjson.BindBatch(batch)
		for i := range int(batch.NumRows()) {
			buf = enc.row(buf, columns, i)
			if len(buf) >= flushAt {
				if _, err := to.Write(buf); err != nil {
					return warnings, err
				}
				buf = buf[:0]
			}
		}
		if _, err := to.Write(buf); err != nil {
			return warnings, err
		}
		buf = buf[:0]
	}
	if err := rows.Err(); err != nil {
		return warnings, err
	}
	if buf = enc.tail(buf); len(buf) == 0 {
		return warnings, nil
	}
	_, err = to.Write(buf)
	return warnings, err
}

func newEncoder(f Format, schema *arrow.Schema, o Options) (enc encoder, warnings []string) {
	switch f {
	case CSV:
		return newCSV(arrowjson.Names(schema), o.Terminal), nil
	case TSV:
		return newTSV(arrowjson.Names(schema), o.Terminal), nil
	case Markdown:
		return newMarkdown(schema), nil
	}
	objects := arrowjson.NewObjects(schema)
	if objects.Renamed {
		warnings = []string{arrowjson.Renamed(arrowjson.Names(schema), objects.Names)}
	}
	if f == NDJSON {
		return &ndjsonEncoder{objects}, warnings
	}
	return &jsonEncoder{objects: objects}, warnings
}

// ndjsonEncoder writes one object per line.
type ndjsonEncoder struct{ objects *arrowjson.Objects }

func (e *ndjsonEncoder) head(dst []byte) []byte { return dst }

func (e *ndjsonEncoder) row(dst []byte, columns []*arrowjson.Column, i int) []byte {
	return append(e.objects.Append(dst, columns, i), '\n')
}

func (e *ndjsonEncoder) tail(dst []byte) []byte { return dst }

// jsonEncoder writes one array with one object per line.
type jsonEncoder struct {
	objects *arrowjson.Objects
	started bool
}

func (e *jsonEncoder) head(dst []byte) []byte { return append(dst, '[') }

func (e *jsonEncoder) row(dst []byte, columns []*arrowjson.Column, i int) []byte {
	if e.started {
		dst = append(dst, ',')
	}
	e.started = true
	return e.objects.Append(append(dst, '\n'), columns, i)
}

func (e *jsonEncoder) tail(dst []byte) []byte {
	if e.started {
		dst = append(dst, '\n')
	}
	return append(dst, "]\n"...)
}
