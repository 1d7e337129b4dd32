package synced

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
)

// Bounds of a chunk. Small files have small chunks, so that there is something
// to go on with; large ones have no more than some hundred.
const (
	minChunk = 1 << 20
	maxChunk = 16 << 20
)

// chunkSize depends on the size of the file alone: a pull goes on with what
// another has left.
func chunkSize(bytes int64) int64 { return min(max(bytes/64, minChunk), maxChunk) }

// Part is a file that is being pulled. Write may be called concurrently, for
// different chunks.
type Part struct {
	s     *Store
	table api.SyncTable
	path  string // of data
	data  *os.File

	mu   sync.Mutex
	log  *os.File
	done map[int64]bool // by offset
}

// Chunk is a range of bytes.
type Chunk struct{ From, Size int64 }

// Begin opens the part of a file, with what an earlier pull has left of it.
func (s *Store) Begin(t api.SyncTable) (*Part, error) {
	failed := func(err error) (*Part, error) {
		return nil, atomicfile.Explain(fmt.Sprintf("sync table '%s'", t.TableID), err)
	}
	p := &Part{s: s, table: t, path: s.files.Path(partName(t)), done: map[int64]bool{}}
	var err error
	if p.data, err = os.OpenFile(p.path, os.O_RDWR, filePerm); err == nil {
		err = p.openLog(0)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = p.anew()
	}
	if err != nil {
		p.Close()
		return failed(err)
	}
	return p, nil
}

// anew begins an empty part. Chunks that a log notes
// belonged to a file that has left: a process was killed after it had renamed
// it. Then all the data may be there, under its own name.
func (p *Part) anew() (err error) {
	whole := p.s.files.Path(dataName(p.table))
	if info, err := os.Lstat(whole); err == nil && info.Mode().IsRegular() && info.Size() == p.table.Bytes {
		p.path = whole
	}
	if err = p.openLog(os.O_TRUNC); err != nil {
		return err
	}
	p.data, err = os.OpenFile(p.path, os.O_CREATE|os.O_RDWR, filePerm)
	p.s.step(stepPartMade)
	return err
}

// openLog reads which chunks have arrived; O_TRUNC forgets them first.
func (p *Part) openLog(flag int) (err error) {
	if p.log, err = os.OpenFile(p.s.files.Path(doneName(p.table)), os.O_CREATE|os.O_RDWR|os.O_APPEND|flag, filePerm); err != nil {
		return err
	}
	p.s.step(stepLogOpened)
	lines := bufio.NewScanner(p.log)
	for lines.Scan() {
		// A line that a killed process has cut is a smaller number, or none: only
		// the end of the line makes it one.
		text := lines.Text()
		from, err := strconv.ParseInt(text[:max(0, len(text)-1)], 10, 64)
		if err == nil && text[len(text)-1] == ';' {
			p.done[from] = true
		}
	}
	// A cut line must not swallow the next one.
	_, err = p.log.WriteString("\n")
	return err
}

// installed reports whether the data has its final name already.
func (p *Part) installed() bool { return p.path == p.s.files.Path(dataName(p.table)) }

// Missing lists the chunks that have not arrived, and how many bytes have.
func (p *Part) Missing() (chunks []Chunk, have int64) {
	size := chunkSize(p.table.Bytes)
	for from := int64(0); from < p.table.Bytes; from += size {
		c := Chunk{from, min(size, p.table.Bytes-from)}
		if p.installed() || p.done[from] {
			have += c.Size
		} else {
			chunks = append(chunks, c)
		}
	}
	return chunks, have
}

// Write puts a chunk in its place, and notes it once all of it is there. arrived
// is told how many bytes came.
func (p *Part) Write(c Chunk, r io.Reader, arrived func(int64)) error {
	buf := make([]byte, 256<<10)
	for at := int64(0); at < c.Size; {
		n, err := r.Read(buf[:min(int64(len(buf)), c.Size-at)])
		if n > 0 {
			if _, err := p.data.WriteAt(buf[:n], c.From+at); err != nil {
				return p.failed(err)
			}
			at += int64(n)
			arrived(int64(n))
		}
		if err != nil && at < c.Size {
			if errors.Is(err, io.EOF) {
				err = &api.Error{Code: api.CodeStreamCut, Message: "a part of the file ended early",
					Next: []api.Step{api.Do(api.ActionSync, "go on where it stopped")}}
			}
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.s.step(stepChunkWritten)
	if _, err := fmt.Fprintf(p.log, "%d;\n", c.From); err != nil {
		return p.failed(err)
	}
	p.s.step(stepChunkNoted)
	p.done[c.From] = true
	return nil
}

func (p *Part) failed(err error) error {
	return atomicfile.Explain(fmt.Sprintf("sync table '%s'", p.table.TableID), err)
}

// discard removes what has arrived. A file that is gone or cannot be removed is the
// next sweep's.
func (p *Part) discard() {
	_ = os.Remove(p.path)
	_ = os.Remove(p.s.files.Path(doneName(p.table)))
}

// Close lets go of the files, which stay if anything of the table has arrived: a
// table that is refused leaves none.
func (p *Part) Close() {
	if p.data != nil && p.log != nil && len(p.done) == 0 && !p.installed() {
		p.discard()
	}
	for _, f := range []*os.File{p.data, p.log} {
		if f != nil {
			_ = f.Close()
		}
	}
}
