package summary

import (
	"context"
	"os"
	"sync"
)

// A column's values are kept in pieces of this many bytes, less for many columns,
// so that all pieces under construction have allPieces.
const (
	mostPiece, leastPiece = 256 << 10, 1 << 10
	allPieces             = 16 << 20
	partPiece             = 32 << 10 // of values that are put aside
)

// spool keeps pieces of encoded values until they are read.
type spool struct {
	dir   string
	limit int // of bytes in memory

	mu   sync.Mutex
	held int
	file *os.File // nil: nothing is on disk yet
	end  int64
}

// piece is a part of a column's values, in memory or in the spool's file.
type piece struct {
	bytes []byte
	at    int64
	n     int
}

// keep keeps the values in buf and returns a buffer for further ones.
func (s *spool) keep(buf []byte) (p piece, rest []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+len(buf) <= s.limit {
		s.held += len(buf)
		return piece{bytes: buf}, make([]byte, 0, cap(buf)), nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.dir, "values-*"); err != nil {
			return piece{}, nil, err
		}
	}
	p = piece{at: s.end, n: len(buf)}
	s.end += int64(len(buf))
	_, err = s.file.WriteAt(buf, p.at)
	return p, buf[:0], err
}

// read returns the values of a piece; buf can be used for them.
func (s *spool) read(p piece, buf []byte) ([]byte, error) {
	if p.n == 0 {
		return p.bytes, nil
	}
	if cap(buf) < p.n {
		buf = make([]byte, p.n)
	}
	_, err := s.file.ReadAt(buf[:p.n], p.at)
	return buf[:p.n], err
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// pieces are the values of one column, in order.
type pieces struct {
	spool *spool
	size  int // bytes from which on a piece is kept
	kept  []piece
	buf   []byte // those after the last piece
}

// flush keeps the values in buf.
func (p *pieces) flush() error {
	kept, rest, err := p.spool.keep(p.buf)
	p.kept, p.buf = append(p.kept, kept), rest
	return err
}

// eachPiece calls f for all values, piece by piece. The values of a piece are whole.
func (p *pieces) eachPiece(ctx context.Context, f func(values []byte) error) error {
	var buf []byte
	for _, kept := range p.kept {
		if err := ctx.Err(); err != nil {
			return err
		}
		values, err := p.spool.read(kept, buf)
		if err != nil {
			return err
		}
		if kept.n > 0 {
			buf = values
		}
		if err := f(values); err != nil {
			return err
		}
	}
	return f(p.buf)
}
