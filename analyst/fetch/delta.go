package fetch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// Delta says how much of a table with several files or partitions, here both called
// files, a refresh read.
type Delta struct {
	Read int `json:"files_read"` // new or changed
	Kept int `json:"files_kept"` // unchanged; their rows come from the existing snapshot
	Gone int `json:"files_gone"` // removed, together with their rows
}

// rowNumber is the engine's column with the number of a row in its file.
const rowNumber = "file_row_number"

// unchangeable says why some of the snapshot's rows cannot be replaced without
// reading the rest; empty if they can.
func unchangeable(m snapshot.Meta, now *api.Estimate) string {
	hidden := slices.ContainsFunc(m.Schema, func(c snapshot.Column) bool { return strings.EqualFold(c.Name, rowNumber) })
	switch {
	case m.Provenance.Rights != now.Rights:
		return "the table has other columns or types, or other rows of it can be seen"
	case !traceable(m.Request()):
		return "the rows of the snapshot have an order, or are some of many"
	case len(m.Files) == 0:
		return "the source does not tell which rows have changed"
	case hidden || countRows(m.Files) != m.Rows:
		return "the snapshot's rows cannot be told apart by files"
	}
	return ""
}

// maxRanges is how many row ranges of a snapshot are kept. With more, it is
// faster to read the whole table again.
const maxRanges = 500

// traceable reports whether a scan can run file by file: it must not depend on
// the order of rows.
func traceable(scan api.ScanRequest) bool { return scan.Limit == nil && len(scan.OrderBy) == 0 }

// delta updates the snapshot by reading only the table's new or changed files. It
// returns errNotReusable if everything has to be read.
func (r *refreshing) delta(ctx context.Context) (*RefreshResult, error) {
	before := r.before
	scratch := r.job.a.Store.Scratch()
	defer scratch.Close()
	if scratch.Path == "" {
		return nil, ErrNotReusable
	}
	j := r.job
	j.Scan = before.Request()
	j.Scan.RefuseCut, j.Scan.Files = !j.AllowCut, true
	for _, f := range before.Files {
		j.Scan.HeldFiles = append(j.Scan.HeldFiles, f.ID)
	}
	added := filepath.Join(scratch.Path, "added.parquet")
	meta, err := j.pull(ctx, target{name: r.claim.Name(), path: added}, nil, &Timings{})
	if err != nil {
		return nil, drift(before, j.Scan, err)
	}
	kept, files, ok := conditionsOf(before.Files, meta.Files)
	if p := meta.Provenance; !ok || p == nil || p.Rights != before.Provenance.Rights || !slices.Equal(meta.Schema, before.Schema) {
		return nil, ErrNotReusable
	}
	rows, err := r.put(ctx, kept, added)
	if err != nil {
		return nil, err
	}
	if rows.Rows != countRows(files) {
		return nil, ErrNotReusable
	}
	meta.Rows, meta.ContentHash, meta.Schema, meta.Files = rows.Rows, rows.ContentHash, rows.Schema, files
	meta.EstimatedScanBytes = before.EstimatedScanBytes
	result, err := r.replace(ctx, meta)
	if err == nil {
		result.Delta = deltaOf(before.Files, files)
	}
	return result, err
}

func countRows(files []api.FileRows) (total int64) {
	for _, f := range files {
		total += f.Rows
	}
	return total
}

// deltaOf counts the files that were read, kept and removed.
func deltaOf(held, now []api.FileRows) *Delta {
	d := &Delta{}
	for _, f := range now {
		if slices.ContainsFunc(held, func(h api.FileRows) bool { return h.ID == f.ID }) {
			d.Kept++
		} else {
			d.Read++
		}
	}
	d.Gone = len(held) - d.Kept
	return d
}

// put writes the kept and the added rows into the claim's temp file, and
// describes it.
func (r *refreshing) put(ctx context.Context, kept []string, added string) (snapshot.Meta, error) {
	items := make([]string, len(r.before.Schema))
	for i, c := range r.before.Schema {
		items[i] = duckdb.Quote(c.Name)
	}
	list := strings.Join(items, ", ")
	where := append([]string{"false"}, kept...)
	sql := "SELECT " + list + " FROM read_parquet(" + duckdb.PathLiteral(r.job.a.Store.DataPath(r.before)) + ", " + rowNumber +
		" = true) WHERE " + strings.Join(where, " OR ") +
		" UNION ALL SELECT " + list + " FROM read_parquet(" + duckdb.PathLiteral(added) + ")"
	return r.job.write(ctx, target{name: r.claim.Name(), path: r.claim.Temp()}, sql, true)
}
