package lake

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/source/lake/mirror"
)

// hold keeps the resources of one request until its rows have been read: the
// links for the engine, the copies that it reads and, for a bucket, the objects on
// disk.
type hold struct {
	lease  *mirror.Lease // nil for a lake in a folder
	links  []*linked
	copies []*parquetCopy
	refs   atomic.Int64
}

// hold starts a request. It must be released once, and once more for each retain.
func (l *Lake) hold() *hold {
	h := &hold{}
	if l.mirror != nil {
		h.lease = l.mirror.Lease()
	}
	h.refs.Store(1)
	return h
}

func (h *hold) retain() { h.refs.Add(1) }

func (h *hold) release() {
	if h.refs.Add(-1) != 0 {
		return
	}
	for _, k := range h.links {
		k.close()
	}
	for _, tw := range h.copies {
		tw.give()
	}
	if h.lease != nil {
		h.lease.Release()
	}
}

// changeTries is how often a request is tried whose objects change while they
// are brought.
const changeTries = 5

// held runs a request with a hold. It retries with a new hold if an object has
// changed since it was listed, or if a cached file has disappeared.
func held[T any](l *Lake, request func(*hold) (T, error)) (T, error) {
	for n := 1; ; n++ {
		h := l.hold()
		v, err := request(h)
		err = h.lost(err)
		h.release()
		var e *api.Error
		if n == changeTries || !errors.As(err, &e) || e.Kind != api.KindChangedMeanwhile {
			return v, err
		}
	}
}

// bring makes sure that files, or at least their footers, are on disk and stay
// there. It is not for concurrent use.
func (h *hold) bring(ctx context.Context, files []file, whole bool) error {
	if h.lease == nil {
		return nil
	}
	objects := make([]bucket.Object, len(files))
	for i, f := range files {
		objects[i] = f.object()
	}
	return h.lease.Bring(ctx, objects, whole)
}

// forget releases at the next bring what was brought so far.
func (h *hold) forget() {
	if h.lease != nil {
		h.lease.Forget()
	}
}

// lost explains a failure that the mirror may have caused (see
// mirror.Lease.Lost).
func (h *hold) lost(err error) error {
	if h.lease == nil {
		return err
	}
	return h.lease.Lost(err)
}
