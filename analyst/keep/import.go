// Package keep looks after the snapshots on this machine: it imports, copies, renames,
// compares, restores and removes them, and keeps the database for other tools in step.
// It asks no service.
package keep

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// ImportRequest asks for the rows of a local file as a snapshot.
type ImportRequest struct {
	// Name of the snapshot.
	Name string
	// Path is the absolute path of the file; - for standard input; or OfWorkspace
	// and the name of a workspace file.
	Path string
	// Force replaces an existing snapshot of that name.
	Force bool
	// Open starts reading the file. It is called once, after the name has been
	// claimed, because reading a large file takes a while.
	Open func(ctx context.Context) (*FileRows, error)
	// OnProgress, if set, reports on the work.
	OnProgress func(rows, bytes int64)
}

// FileRows are the rows of a file.
type FileRows struct {
	Batches array.RecordReader
	Rows    int64 // the number of rows that must arrive
	Caveats []api.Caveat
	Dated   []api.Column // columns with dates, and the order in which the file has these
	Close   func()
}

// ImportResult describes an installed snapshot.
type ImportResult struct {
	Snapshot snapshot.Meta `json:"snapshot"`
	Source   string        `json:"source"` // the file's path, as in the request
	Caveats  []api.Caveat  `json:"caveats"`
}

// Import installs the rows of a file as a snapshot. After any error an existing
// snapshot of the name is unchanged.
func Import(ctx context.Context, a *analyst.Analyst, req ImportRequest) (*ImportResult, error) {
	claim, err := a.Store.Claim(req.Name, req.Force)
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	rows, err := req.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	meta, err := writeFile(ctx, a, claim, req, rows)
	if err != nil {
		return nil, err
	}
	before := claim.Existing()
	installed, warnings, err := install(ctx, a, claim, meta)
	if err != nil {
		return nil, err
	}
	caveats := InstallCaveats(installed, warnings)
	if before != nil && before.Server == meta.Server {
		for _, c := range ChangedOrders(*before, meta) {
			told := c.Caveat()
			told.Next = []api.Step{api.Set(api.OptionDateFormat, "set the order")}
			caveats = append(caveats, told)
		}
	}
	return &ImportResult{Snapshot: installed, Source: req.Path, Caveats: api.Arranged(caveats)}, nil
}

// writeFile writes the rows into the claim's temp file and returns the contents of
// the sidecar.
func writeFile(ctx context.Context, a *analyst.Analyst, claim *snapshot.Claim, req ImportRequest, rows *FileRows) (snapshot.Meta, error) {
	conn, err := a.OpenEngine(true)
	if err != nil {
		return snapshot.Meta{}, err
	}
	defer conn.Close()
	batches, path := rows.Batches, claim.Temp()
	if req.OnProgress != nil {
		batches = api.Reporting(batches, req.OnProgress)
	}
	if _, err := conn.WriteParquet(ctx, path, batches); err != nil {
		return snapshot.Meta{}, analyst.WriteSnapshotError(claim.Name(), err)
	}
	meta, err := Describe(ctx, conn.Conn, path, nil)
	if err != nil {
		return snapshot.Meta{}, analyst.WriteSnapshotError(claim.Name(), err)
	}
	if meta.Rows != rows.Rows {
		return snapshot.Meta{}, &api.Error{Code: api.CodeReadFailed, Kind: api.KindChanged,
			Message: fmt.Sprintf("%s changed while it was read: it had %s, %d of them came", req.Path, humanize.Plural(rows.Rows, "row", "rows"),
				meta.Rows),
			Hint: "Nothing was installed; import it again."}
	}
	meta.SetImport(req.Name, req.Path)
	meta.FetchedAt = a.Now()
	meta.EffectiveAsOf = meta.FetchedAt
	meta.Engine = "duckdb " + duckdb.Version
	meta.Caveats = api.Arranged(rows.Caveats)
	if len(rows.Dated) > 0 {
		meta.Provenance = &api.Provenance{Columns: rows.Dated}
	}
	return meta, nil
}
