package synced

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

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
	data, err := os.OpenFile(s.path(partName(t)), os.O_CREATE|os.O_RDWR, filePerm)
	if err != nil {
		return failed(err)
	}
	log, err := os.OpenFile(s.path(doneName(t)), os.O_CREATE|os.O_RDWR|os.O_APPEND, filePerm)
	if err != nil {
		_ = data.Close()
		return failed(err)
	}
	p := &Part{s: s, table: t, data: data, log: log, done: map[int64]bool{}}
	lines := bufio.NewScanner(log)
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
	if _, err := log.WriteString("\n"); err != nil {
		p.Close()
		return failed(err)
	}
	return p, nil
}

// Missing lists the chunks that have not arrived, and how many bytes have.
func (p *Part) Missing() (chunks []Chunk, have int64) {
	size := chunkSize(p.table.Bytes)
	for from := int64(0); from < p.table.Bytes; from += size {
		c := Chunk{from, min(size, p.table.Bytes-from)}
		if p.done[from] {
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
				err = &api.Error{Code: api.CodeStreamCut, Message: "a part of the file ended early", Hint: "Run 'da sync' again."}
			}
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintf(p.log, "%d;\n", c.From); err != nil {
		return p.failed(err)
	}
	p.done[c.From] = true
	return nil
}

func (p *Part) failed(err error) error {
	return atomicfile.Explain(fmt.Sprintf("sync table '%s'", p.table.TableID), err)
}

// Install proves that the whole file has arrived unchanged, and puts it in the
// place of the one before, which stays if anything fails.
func (p *Part) Install(server string, now time.Time) (Meta, error) {
	if err := p.verify(); err != nil {
		return Meta{}, err
	}
	old, replaces := p.s.Get(p.table.TableID)
	m := Meta{SyncTable: p.table, Format: format, Server: server, SyncedAt: now.UTC(), DataFile: dataName(p.table)}
	if err := p.install(m); err != nil {
		return Meta{}, p.failed(err)
	}
	if replaces && old.DataFile != m.DataFile {
		_ = os.Remove(p.s.path(old.DataFile)) // swept by the next sync otherwise
	}
	_ = os.Remove(p.s.path(doneName(p.table)))
	return m, nil
}

func (p *Part) install(m Meta) error {
	path := p.s.path(partName(p.table))
	if err := atomicfile.SyncFile(path, filePerm); err != nil {
		return err
	}
	if err := os.Rename(path, p.s.path(m.DataFile)); err != nil {
		return err
	}
	if err := atomicfile.SyncDir(p.s.dir); err != nil {
		return err
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(p.s.path(m.TableID+recordExt), append(data, '\n'), filePerm); err != nil {
		return err
	}
	link, err := atomicfile.StageSymlink(m.DataFile, p.s.path(m.TableID+dataExt))
	if err != nil {
		return err
	}
	defer link.Discard()
	return link.Commit()
}

// verify reads the file once. One that is not as announced is thrown away: what
// of it is wrong, nobody can tell.
func (p *Part) verify() error {
	h := xxh3.New128()
	n, err := io.CopyBuffer(h, io.NewSectionReader(p.data, 0, p.table.Bytes+1), make([]byte, 1<<20))
	if err != nil {
		return p.failed(err)
	}
	sum := h.Sum128().Bytes()
	if n == p.table.Bytes && hex.EncodeToString(sum[:]) == p.table.XXH3 {
		return nil
	}
	_ = os.Remove(p.s.path(partName(p.table)))
	_ = os.Remove(p.s.path(doneName(p.table)))
	return &api.Error{Code: api.CodeStreamCut, Kind: "hash", Message: fmt.Sprintf("what arrived of table '%s' is not what the server has", p.table.TableID),
		Hint: "Run 'da sync' again; what was here before is unchanged.", Details: map[string]any{"table_id": p.table.TableID}}
}

// Close lets go of the files, which stay.
func (p *Part) Close() {
	_ = p.data.Close()
	_ = p.log.Close()
}
