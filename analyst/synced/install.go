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
	"github.com/agnes-data/da/internal/atomicfile"
)

// Steps on disk, at each of which tests kill the process.
const (
	stepPartMade     = "part made"
	stepLogOpened    = "log opened"
	stepChunkWritten = "chunk written"
	stepChunkNoted   = "chunk noted"
	stepDataSynced   = "data synced"
	stepDataRenamed  = "data renamed"
	stepRecorded     = "recorded"
	stepLinked       = "linked"
	stepOldRemoved   = "old removed"
	stepLogRemoved   = "log removed"
)

// kindHash is the kind of the CodeStreamCut of a file that is not as announced.
const kindHash = "hash"

// IsSpoilt reports whether Install has thrown a file away because it is not the
// one that was announced.
func IsSpoilt(err error) bool {
	return errors.Is(err, &api.Error{Code: api.CodeStreamCut, Kind: kindHash})
}

// Install proves that the whole file has arrived unchanged, and puts it in the
// place of the one before, which stays if anything fails. holds, given the path of
// the file, checks what is in it; a file that it refuses is thrown away.
func (p *Part) Install(server string, now time.Time, holds func(path string) error) (Meta, error) {
	if err := p.verify(); err != nil {
		return Meta{}, err
	}
	if err := holds(p.path); err != nil {
		p.discard()
		return Meta{}, err
	}
	old, replaces := p.s.Get(p.table.TableID)
	m := Meta{SyncTable: p.table, Format: format, Server: server, SyncedAt: now.UTC(), DataFile: dataName(p.table)}
	if err := p.install(m); err != nil {
		return Meta{}, p.failed(err)
	}
	if replaces && old.DataFile != m.DataFile {
		_ = os.Remove(p.s.path(old.DataFile)) // swept by the next sync otherwise
		p.s.step(stepOldRemoved)
	}
	_ = os.Remove(p.s.path(doneName(p.table)))
	p.s.step(stepLogRemoved)
	return m, nil
}

func (p *Part) install(m Meta) error {
	if err := atomicfile.SyncFile(p.path, filePerm); err != nil {
		return err
	}
	p.s.step(stepDataSynced)
	if !p.installed() {
		if err := os.Rename(p.path, p.s.path(m.DataFile)); err != nil {
			return err
		}
		p.s.step(stepDataRenamed)
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
	p.s.step(stepRecorded)
	err = p.s.Point(m)
	p.s.step(stepLinked)
	return err
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
	p.discard()
	return &api.Error{Code: api.CodeStreamCut, Kind: kindHash, Message: fmt.Sprintf("what arrived of table '%s' is not what the server has", p.table.TableID),
		Hint: "What was here before is unchanged.", Next: []api.Step{api.Do(api.ActionSync, "try again")}, Details: map[string]any{"table_id": p.table.TableID}}
}
