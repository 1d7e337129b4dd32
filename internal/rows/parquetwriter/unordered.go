package parquetwriter

import (
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
)

// Unordered writes a file whose rows come from several goroutines at once, each
// with a Part of its own. The rows have no particular order.
type Unordered struct {
	mu   sync.Mutex // guards the writing
	file *file
}

// NewUnordered begins a file. The schema is one that Takes accepts.
func NewUnordered(w io.Writer, schema *arrow.Schema, o Options) (*Unordered, error) {
	f, err := begin(w, schema, o)
	return &Unordered{file: f}, err
}

// Close ends the file, once all parts are flushed. It does not close the writer.
func (u *Unordered) Close() error { return u.file.footer() }

// Part returns a part for one goroutine.
func (u *Unordered) Part() *Part {
	return &Part{to: u, group: newGroup(u.file.leaves), chunks: make([]chunk, len(u.file.leaves))}
}

// Part takes the rows of one goroutine, and encodes them in it.
type Part struct {
	to     *Unordered
	group  *group
	chunks []chunk
	scratch
}

// Add takes over the rows of a batch, and writes each row group that is full.
func (p *Part) Add(b arrow.RecordBatch) error {
	for at, n := 0, int(b.NumRows()); at < n; {
		end, full, err := p.group.take(b, at, p.to.file.options.MaxGroup)
		if err != nil {
			return err
		}
		if at = end; full {
			if err := p.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flush writes the rows that are left as a row group.
func (p *Part) Flush() error {
	if p.group.rows == 0 {
		return nil
	}
	for i, c := range p.group.columns {
		p.chunks[i] = chunk{codec: p.to.file.options.Codec, body: p.chunks[i].body[:0]}
		c.encode(&p.scratch, &p.chunks[i])
	}
	rows := p.group.rows
	p.group.reset()
	p.to.mu.Lock()
	defer p.to.mu.Unlock()
	return p.to.file.chunked(p.chunks, rows)
}
