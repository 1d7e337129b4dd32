package fetch

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// target is where the rows of a scan go: the snapshot's name and the path of its
// file. early syncs the file to disk while its rows are read back, which is worth it
// where the file is installed in any case.
type target struct {
	name, path string
	early      bool
}

// pull runs the scan, writes its rows into a temporary file, and returns the
// contents of the sidecar. part, if not nil, keeps what has arrived if this
// process is killed, so that the next one can resume.
func (j *job) pull(ctx context.Context, to target, part *snapshot.Partial, took *Timings) (snapshot.Meta, error) {
	start := time.Now()
	stream, err := j.begin(ctx, part)
	if err != nil {
		return snapshot.Meta{}, leave(part, err)
	}
	defer stream.Close()
	if err := duckdb.CheckNames(arrowjson.Names(stream.Batches.Schema())); err != nil {
		return snapshot.Meta{}, leave(part, err)
	}
	took.FirstBatch = lap(&start)
	path, fetched := to.path, time.Time{}
	if stream.From > 0 {
		fetched = part.Begun
	}
	j.engine.Start()
	if stream.Data != nil {
		if err := j.receivePart(ctx, stream, part, path); err != nil {
			return snapshot.Meta{}, leave(part, err)
		}
	}
	conn, err := j.engine.Get()
	if err != nil {
		return snapshot.Meta{}, err
	}
	if err := conn.PreserveOrder(ctx, stream.Ordered); err != nil {
		return snapshot.Meta{}, err
	}
	if stream.Data == nil {
		if _, err := conn.WriteParquet(ctx, path, j.incoming(stream.Stream)); err != nil {
			return snapshot.Meta{}, analyst.WriteSnapshotError(to.name, err)
		}
	}
	synced := to.sync()
	took.Transfer = lap(&start)
	end := stream.End()
	if end.Truncated && (!j.AllowCut || end.Rows == 0) {
		return snapshot.Meta{}, end.CutError(stream.RequestID)
	}
	if j.sample != nil {
		j.sample.Rows = end.Rows
	}
	meta, err := keep.Describe(ctx, conn.Conn, path, j.sample)
	if err != nil {
		return snapshot.Meta{}, analyst.WriteSnapshotError(to.name, err)
	}
	took.Verify = lap(&start)
	if meta.Rows != end.Rows {
		return snapshot.Meta{}, &api.Error{Code: api.CodeStreamCut, RequestID: stream.RequestID,
			Message: fmt.Sprintf("the server announced %s, and %d arrived", humanize.Plural(end.Rows, "row", "rows"), meta.Rows),
			Hint:    "Nothing was installed; try again."}
	}
	j.fill(&meta, stream.Stream, end)
	if !fetched.IsZero() {
		meta.FetchedAt = fetched // when the resumed fetch began
	}
	if err := <-synced; err != nil {
		return snapshot.Meta{}, analyst.WriteSnapshotError(to.name, atomicfile.Explain("write the result", err))
	}
	return meta, nil
}

// sync starts to sync the file, while its rows are read back. Installing it syncs
// it again, which has little left to do.
func (t target) sync() <-chan error {
	done := make(chan error, 1)
	if !t.early {
		done <- nil
		return done
	}
	go func() { done <- atomicfile.SyncFile(t.path, 0o600) }()
	return done
}

// incoming passes on the rows of a stream as long as there is free disk
// space.
func (j *job) incoming(stream *api.Stream) array.RecordReader {
	rows := j.a.Room().Rows(stream.Batches)
	if j.OnProgress != nil {
		rows = api.Reporting(rows, j.OnProgress)
	}
	return rows
}

// fill records the request and the answer.
func (j *job) fill(meta *snapshot.Meta, stream *api.Stream, end api.End) {
	meta.SetRequest(j.Scan)
	meta.FetchedAt = j.a.Now()
	meta.EffectiveAsOf = stream.EffectiveAsOf
	if meta.Truncated = end.Truncated; end.Truncated {
		meta.CutBy = api.CapKey(end.Cap)
	}
	meta.Files, meta.BytesCounted = end.Files, end.Bytes
	meta.AllowCut, meta.RowRule = j.AllowCut, stream.RowRule
	meta.Server, meta.RequestID = j.remote.Name, stream.RequestID
	meta.Engine = "duckdb " + duckdb.Version
	meta.Caveats = api.Arranged(append(api.SchemaCaveats(stream.Batches.Schema()), end.Found()...))
	meta.Provenance = api.ProvenanceOf(stream.Batches.Schema())
}
