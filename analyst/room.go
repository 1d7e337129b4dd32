package analyst

import (
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// Pulled data leaves leaveFree bytes of the disk free, or a twentieth of the free
// space if that is less. The disk is measured again every roomStep bytes.
const (
	leaveFree = 256 << 20
	roomStep  = 64 << 20
)

// Room tracks the disk space left for a result. It is the only limit on this
// side: a faulty server may send data without end, and a full disk affects more
// than this fetch.
type Room struct {
	free   func() (int64, error)
	leaves int64
	passed int64 // bytes since the last look
	// more frees space, once; nil if it was already called.
	more func()
}

// Room measures the disk of the snapshots. If it cannot be measured, there is no
// check, and a full disk stops the write.
func (a *Analyst) Room() *Room {
	free, err := a.FreeBytes()
	if err != nil {
		return &Room{}
	}
	return &Room{free: a.FreeBytes, leaves: min(leaveFree, free/20), more: a.dropAllPrevious}
}

// dropAllPrevious removes the previous generations of all snapshots.
func (a *Analyst) dropAllPrevious() {
	if store := a.PreviousStore(); store != nil {
		_, _ = store.Prune(snapshot.PrunePolicy{Auto: true}, false, nil)
	}
}

func (a *Analyst) FreeBytes() (int64, error) {
	if a.Free != nil {
		return a.Free()
	}
	return a.Store.FreeBytes()
}

// Take returns an error if there is no room for another n bytes.
func (r *Room) Take(n int64) error {
	if r.passed += n; r.passed < roomStep || r.free == nil {
		return nil
	}
	r.passed = 0
	free, err := r.free()
	if err == nil && free < r.leaves && r.more != nil {
		r.more()
		r.more = nil
		free, err = r.free()
	}
	if err == nil && free < r.leaves {
		return NoRoom(free)
	}
	return nil
}

// Rows passes on batches as long as there is room for them.
func (r *Room) Rows(rows array.RecordReader) array.RecordReader {
	return &roomy{RecordReader: rows, room: r}
}

// roomy is the reader of Rows.
type roomy struct {
	array.RecordReader
	room *Room
	err  error
}

// Next implements array.RecordReader.
func (r *roomy) Next() bool {
	if r.err != nil || !r.RecordReader.Next() {
		return false
	}
	r.err = r.room.Take(api.BatchBytes(r.RecordBatch()))
	return r.err == nil
}

// Err implements array.RecordReader.
func (r *roomy) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.RecordReader.Err()
}

// NoRoom is the error when a result would fill the disk.
func NoRoom(free int64) error {
	return &api.Error{Code: api.CodeDiskFull, Kind: api.KindNoRoom,
		Message: "there is no room for all of it: " + humanize.Bytes(free) + " are left on the disk",
		Hint:    "What had arrived is removed again.",
		Next:    []api.Step{api.Set(api.OptionLimit, "fetch a part"), api.Do(api.ActionDiskUsage, "see what da itself takes")},
		Details: map[string]any{"free_bytes": free}}
}
