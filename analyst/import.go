package analyst

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

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
func (a *Analyst) Import(ctx context.Context, req ImportRequest) (*ImportResult, error) {
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
	meta, err := a.writeFile(ctx, claim, req, rows)
	if err != nil {
		return nil, err
	}
	installed, warnings, err := a.install(ctx, claim, meta)
	if err != nil {
		return nil, err
	}
	return &ImportResult{Snapshot: installed, Source: req.Path, Caveats: told(installed, warnings)}, nil
}

// writeFile writes the rows into the claim's temp file and returns the contents of
// the sidecar.
func (a *Analyst) writeFile(ctx context.Context, claim *snapshot.Claim, req ImportRequest, rows *FileRows) (snapshot.Meta, error) {
	conn, err := a.openEngine(true)
	if err != nil {
		return snapshot.Meta{}, err
	}
	defer conn.Close()
	batches, path := rows.Batches, claim.Temp()
	if req.OnProgress != nil {
		batches = api.Reporting(batches, req.OnProgress)
	}
	if _, err := conn.WriteParquet(ctx, path, batches); err != nil {
		return snapshot.Meta{}, writeSnapshotError(claim.Name(), err)
	}
	meta, err := describe(ctx, conn.Conn, path)
	if err != nil {
		return snapshot.Meta{}, writeSnapshotError(claim.Name(), err)
	}
	if meta.Rows != rows.Rows {
		return snapshot.Meta{}, &api.Error{Code: api.CodeReadFailed, Kind: api.KindChanged,
			Message: fmt.Sprintf("%s changed while it was read: it had %s, %d of them came", req.Path, humanize.Plural(rows.Rows, "row", "rows"), meta.Rows),
			Hint:    "Nothing was installed; import it again."}
	}
	meta.SetImport(req.Name, req.Path)
	meta.FetchedAt = a.Now()
	meta.EffectiveAsOf = meta.FetchedAt
	meta.Engine = "duckdb " + duckdb.Version
	meta.Caveats = api.Arranged(rows.Caveats)
	return meta, nil
}

// OfWorkspace is the prefix for names of workspace files.
const OfWorkspace = "workspace:"

// importStep is the step of importing a snapshot's file again.
func importStep(why, name, path string) api.Step {
	if file, ok := strings.CutPrefix(path, OfWorkspace); ok {
		return api.Do(api.ActionImportFile, why, "file", file, "as", name, "force", true)
	}
	return api.Do(api.ActionImport, why, "path", path, "as", name, "force", true)
}

// importAgain is the error for refreshing an imported snapshot; it says how to
// renew it.
func importAgain(name, path string) error {
	shown := path
	if path == "-" {
		shown = "standard input"
	}
	return &api.Error{Code: api.CodeUsage, Kind: api.KindImported,
		Message: fmt.Sprintf("snapshot '%s' was imported from %s: there is nothing to fetch again", name, shown),
		Hint:    "Import it again, with the options of the first time.",
		Next:    []api.Step{importStep("do so", name, path)},
		Details: map[string]any{"snapshot": name, "path": path}}
}
