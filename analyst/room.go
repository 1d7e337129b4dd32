package analyst

import (
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/humanize"
)

// What is pulled leaves some of the disk free: at most leaveFree, and of a disk with
// little room a twentieth of that. Every roomStep bytes it is measured again.
const (
	leaveFree = 256 << 20
	roomStep  = 64 << 20
)

// roomy passes batches on while there is room for them. Nothing else bounds a result
// on this side: a server that errs may send rows without an end, and a full disk
// stops more than this fetch.
type roomy struct {
	array.RecordReader
	free   func() (int64, error)
	leaves int64
	passed int64 // bytes since the last look
	err    error
}

// inRoom bounds a reader by the room on the disk of the snapshots.
func (a *Analyst) inRoom(rdr array.RecordReader) array.RecordReader {
	free, err := a.freeBytes()
	if err != nil {
		return rdr // the disk itself ends what cannot be measured
	}
	return &roomy{RecordReader: rdr, free: a.freeBytes, leaves: min(leaveFree, free/20)}
}

func (a *Analyst) freeBytes() (int64, error) {
	if a.free != nil {
		return a.free()
	}
	return a.Store.FreeBytes()
}

// Next implements array.RecordReader.
func (r *roomy) Next() bool {
	if r.err != nil || !r.RecordReader.Next() {
		return false
	}
	if r.passed += api.BatchBytes(r.RecordBatch()); r.passed < roomStep {
		return true
	}
	r.passed = 0
	if free, err := r.free(); err == nil && free < r.leaves {
		r.err = noRoom(free)
	}
	return r.err == nil
}

// Err implements array.RecordReader.
func (r *roomy) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.RecordReader.Err()
}

// noRoom is the error of what would fill the disk.
func noRoom(free int64) error {
	return &api.Error{Code: api.CodeDiskFull, Kind: "no_room", Message: "there is no room for all of it: " + humanize.Bytes(free) + " are left on the disk",
		Hint:    "What had arrived is removed again.",
		Next:    []api.Step{api.Set(api.OptionLimit, "fetch a part"), api.Do(api.ActionDiskUsage, "see what da itself takes")},
		Details: map[string]any{"free_bytes": free}}
}
