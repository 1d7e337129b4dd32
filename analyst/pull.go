package analyst

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/duckdb"
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
func (a *Analyst) pull(ctx context.Context, remote Remote, to target, part *snapshot.Partial, req FetchRequest, took *Timings) (snapshot.Meta, error) {
	start := time.Now()
	stream, err := begin(ctx, remote, part, req)
	if err != nil {
		return snapshot.Meta{}, leave(part, err)
	}
	defer stream.Close()
	took.FirstBatch = lap(&start)
	path, fetched := to.path, time.Time{}
	if stream.From > 0 {
		fetched = part.Begun
	}
	req.engine.begin()
	if stream.Data != nil {
		if err := a.receivePart(ctx, stream, part, path, req); err != nil {
			return snapshot.Meta{}, leave(part, err)
		}
	}
	conn, err := req.engine.get()
	if err != nil {
		return snapshot.Meta{}, err
	}
	if err := conn.preserveOrder(ctx, stream.Ordered); err != nil {
		return snapshot.Meta{}, err
	}
	if stream.Data == nil {
		if _, err := conn.WriteParquet(ctx, path, a.incomingRows(stream.Stream, req)); err != nil {
			return snapshot.Meta{}, writeSnapshotError(to.name, err)
		}
	}
	synced := to.sync()
	took.Transfer = lap(&start)
	end := stream.End()
	if end.Truncated && (!req.AllowCut || end.Rows == 0) {
		return snapshot.Meta{}, end.CutError(stream.RequestID)
	}
	meta, err := describe(ctx, conn.Conn, path)
	if err != nil {
		return snapshot.Meta{}, writeSnapshotError(to.name, err)
	}
	took.Verify = lap(&start)
	if meta.Rows != end.Rows {
		return snapshot.Meta{}, &api.Error{Code: api.CodeStreamCut, RequestID: stream.RequestID,
			Message: fmt.Sprintf("the server announced %s, and %d arrived", humanize.Plural(end.Rows, "row", "rows"), meta.Rows), Hint: "Nothing was installed; try again."}
	}
	a.fill(&meta, remote.Name, req, stream.Stream, end)
	if !fetched.IsZero() {
		meta.FetchedAt = fetched // when the resumed fetch began
	}
	if err := <-synced; err != nil {
		return snapshot.Meta{}, writeSnapshotError(to.name, atomicfile.Explain("write the result", err))
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

// incomingRows passes on the rows of a stream as long as there is free disk
// space.
func (a *Analyst) incomingRows(stream *api.Stream, req FetchRequest) array.RecordReader {
	rows := array.RecordReader(&roomy{RecordReader: stream.Batches, room: a.room()})
	if req.OnProgress != nil {
		rows = api.Reporting(rows, req.OnProgress)
	}
	return rows
}

// fill records the request and the answer.
func (a *Analyst) fill(meta *snapshot.Meta, server string, req FetchRequest, stream *api.Stream, end api.End) {
	meta.SetRequest(req.Scan)
	meta.FetchedAt = a.Now()
	meta.EffectiveAsOf = stream.EffectiveAsOf
	if meta.Truncated = end.Truncated; end.Truncated {
		meta.CutBy = api.CapKey(end.Cap)
	}
	meta.Files, meta.BytesCounted = end.Files, end.Bytes
	meta.AllowCut, meta.RowRule = req.AllowCut, stream.RowRule
	meta.Server, meta.RequestID = server, stream.RequestID
	meta.Engine = "duckdb " + duckdb.Version
	meta.Caveats = api.Arranged(append(api.SchemaCaveats(stream.Batches.Schema()), end.Found()...))
	meta.Provenance = api.ProvenanceOf(stream.Batches.Schema())
}

// sumOfHashes computes sum(h) for 64-bit unsigned h. Adding up the two halves takes the
// engine half as long.
const sumOfHashes = "sum((h >> 32)::BIGINT) * 4294967296 + sum((h & 4294967295)::BIGINT)"

// describe reads back what was written: the schema, the number of rows, and a
// hash over all rows. The hash does not depend on the order of rows, because the
// bytes of a parquet file differ from run to run.
func describe(ctx context.Context, conn *duckdb.Conn, path string) (snapshot.Meta, error) {
	var meta snapshot.Meta
	// The file is read once: to keep it in memory, as the engine would, is in vain.
	if err := conn.Exec(ctx, "SET GLOBAL enable_external_file_cache = false"); err != nil {
		return meta, err
	}
	file := "read_parquet(" + duckdb.PathLiteral(path) + ")"
	cols, err := conn.Describe(ctx, "SELECT * FROM "+file)
	if err != nil {
		return meta, err
	}
	for _, c := range cols {
		meta.Schema = append(meta.Schema, snapshot.Column{Name: c.Name, Type: c.Type})
	}
	var sum string
	err = conn.QueryRow(ctx, "SELECT count(*), coalesce("+sumOfHashes+", 0)::VARCHAR FROM (SELECT hash(r) AS h FROM "+file+" r)", nil, &meta.Rows, &sum)
	if err != nil {
		return meta, err
	}
	digest := xxh3.New()
	fmt.Fprintf(digest, "%d rows\x00%s\x00", meta.Rows, sum)
	for _, c := range meta.Schema {
		fmt.Fprintf(digest, "%s\x00%s\x00", c.Name, c.Type)
	}
	meta.ContentHash = fmt.Sprintf("duckdb-%s-%x", duckdb.Version, digest.Sum128().Bytes())
	return meta, nil
}
