package analyst

import (
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// Pulled data leaves leaveFree bytes of the disk free, or a twentieth of the free
// space if that is less. The disk is measured again every roomStep bytes.
const (
	leaveFree = 256 << 20
	roomStep  = 64 << 20
)

// room tracks the disk space left for a result. It is the only limit on this
// side: a faulty server may send data without end, and a full disk affects more
// than this fetch.
type room struct {
	free   func() (int64, error)
	leaves int64
	passed int64 // bytes since the last look
	// more frees space, once; nil if it was already called.
	more func()
}

// room measures the disk of the snapshots. If it cannot be measured, there is no
// check, and a full disk stops the write.
func (a *Analyst) room() *room {
	free, err := a.freeBytes()
	if err != nil {
		return &room{}
	}
	return &room{free: a.freeBytes, leaves: min(leaveFree, free/20), more: func() { _, _ = a.prunePrevious(0, false) }}
}

func (a *Analyst) freeBytes() (int64, error) {
	if a.free != nil {
		return a.free()
	}
	return a.Store.FreeBytes()
}

// take returns an error if there is no room for another n bytes.
func (r *room) take(n int64) error {
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
		return noRoom(free)
	}
	return nil
}

// roomy passes on batches as long as there is room for them.
type roomy struct {
	array.RecordReader
	room *room
	err  error
}

// Next implements array.RecordReader.
func (r *roomy) Next() bool {
	if r.err != nil || !r.RecordReader.Next() {
		return false
	}
	r.err = r.room.take(api.BatchBytes(r.RecordBatch()))
	return r.err == nil
}

// Err implements array.RecordReader.
func (r *roomy) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.RecordReader.Err()
}

// noRoom is the error when a result would fill the disk.
func noRoom(free int64) error {
	return &api.Error{Code: api.CodeDiskFull, Kind: api.KindNoRoom, Message: "there is no room for all of it: " + humanize.Bytes(free) + " are left on the disk",
		Hint:    "What had arrived is removed again.",
		Next:    []api.Step{api.Set(api.OptionLimit, "fetch a part"), api.Do(api.ActionDiskUsage, "see what da itself takes")},
		Details: map[string]any{"free_bytes": free}}
}
