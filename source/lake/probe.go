package lake

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/source"
)

var _ source.Prober = (*Lake)(nil)

// errEnough ends a listing early, where its start is enough.
var errEnough = errors.New("enough is listed")

// Probe implements source.Prober: it starts a listing, which may be empty.
func (l *Lake) Probe(ctx context.Context) error {
	if l.mirror == nil {
		return l.probeRoot()
	}
	err := l.mirror.List(ctx, "", func(bucket.Object) error { return errEnough })
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// probeRoot checks the path that the lake was opened with, so that it notices if
// the folder has been moved or replaced since.
func (l *Lake) probeRoot() error {
	dir, err := os.Open(l.dir)
	if err == nil {
		defer dir.Close()
		_, err = dir.Readdirnames(1)
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: "the root of the lake is not a readable folder", Err: err,
		Hint: "The operator must correct the root of the source, or the rights of that folder. " + api.InServerLog}
}
