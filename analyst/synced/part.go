package synced

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// Bounds on the size of a chunk. Small files have small chunks, so that an
// interrupted pull can resume; large files have at most a few hundred chunks.
const (
	minChunk = 1 << 20
	maxChunk = 16 << 20
)

// chunkSize depends only on the size of the file, so that a pull can resume an
// earlier one.
func chunkSize(bytes int64) int64 { return min(max(bytes/64, minChunk), maxChunk) }

// Begin opens the part of a file, including what an earlier pull has received.
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

// anew starts an empty part. Chunks in an old log belonged to a file that no
// longer exists as a part, because a process was killed after renaming it. All
// data may then be there under its final name.
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

// openLog reads which chunks have arrived; with O_TRUNC it discards them first.
func (p *Part) openLog(flag int) (err error) {
	if p.log, err = os.OpenFile(p.s.files.Path(doneName(p.table)), os.O_CREATE|os.O_RDWR|os.O_APPEND|flag, filePerm); err != nil {
		return err
	}
	p.s.step(stepLogOpened)
	lines := bufio.NewScanner(p.log)
	for lines.Scan() {
		// A line that a killed process has cut lacks its final ';' and is
		// ignored.
		text := lines.Text()
		from, err := strconv.ParseInt(text[:max(0, len(text)-1)], 10, 64)
		if err == nil && text[len(text)-1] == ';' {
			p.done[from] = true
		}
	}
	// Start a new line after a cut one.
	_, err = p.log.WriteString("\n")
	return err
}

// Missing lists the chunks that have not arrived, and returns how many bytes
// have.
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

// Write writes a chunk, and logs it once it is complete. It calls arrived with
// the number of bytes as they come.
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

// Close closes the files and keeps them if any chunk has arrived: a table that
// the server refuses leaves no files.
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
