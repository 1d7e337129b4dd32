package synced

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// Steps on disk at which tests kill the process, in addition to those of
// internal/disk/store.
const (
	stepPartMade     = "part made"
	stepLogOpened    = "log opened"
	stepChunkWritten = "chunk written"
	stepChunkNoted   = "chunk noted"
	stepLogRemoved   = "log removed"
)

// IsSpoilt reports whether Install discarded a file because it differed from what
// was announced.
func IsSpoilt(err error) bool {
	return errors.Is(err, &api.Error{Code: api.CodeStreamCut, Kind: api.KindHash})
}

// Install verifies that the whole file has arrived unchanged, and replaces the
// table's data by it. If anything fails, the old data stays. holds checks the
// contents of the file at the given path; a file that it rejects is discarded.
func (p *Part) Install(server string, now time.Time, holds func(path string) error) (Meta, error) {
	if err := p.verify(); err != nil {
		return Meta{}, err
	}
	if err := holds(p.path); err != nil {
		p.discard()
		return Meta{}, err
	}
	m := Meta{SyncTable: p.table, Format: format, Server: server, SyncedAt: now.UTC(), DataFile: dataName(p.table)}
	if err := p.install(m); err != nil {
		return Meta{}, p.failed(err)
	}
	_ = os.Remove(p.s.files.Path(doneName(p.table)))
	p.s.step(stepLogRemoved)
	return m, nil
}

func (p *Part) install(m Meta) error {
	record, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := p.s.files.SyncData(p.path); err != nil {
		return err
	}
	if err := p.s.files.Commit(store.Change{Name: m.TableID, Temp: p.path, Data: m.DataFile, Record: append(record, '\n')}); err != nil {
		return err
	}
	return p.s.files.Settle(m.TableID, m.DataFile)
}

// verify reads the file once. A file that differs from what was announced is
// discarded, because nobody can tell which bytes are wrong.
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
	p.discard()
	return &api.Error{Code: api.CodeStreamCut, Kind: api.KindHash,
		Message: fmt.Sprintf("what arrived of table '%s' is not what the server has", p.table.TableID),
		Hint:    "What was here before is unchanged.", Next: []api.Step{api.Do(api.ActionSync, "try again")},
		Details: map[string]any{"table_id": p.table.TableID}}
}
