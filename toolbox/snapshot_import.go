package toolbox

import (
	"context"
	"path/filepath"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
)

type snapshotImportIn struct {
	fileIn
	As    string `json:"as" jsonschema:"name of the snapshot"`
	Force bool   `json:"force,omitempty" jsonschema:"replace a snapshot of that name"`
}

type snapshotImportOut struct {
	Snapshot heldSnapshot `json:"snapshot"`
	Caveats  []api.Caveat `json:"caveats"`
}

func snapshotImport() tool {
	return typed(tool{
		name: "snapshot_import", title: "Put a local file beside snapshots", needs: needsStore | needsFiles, engine: true, destructive: true, idempotent: true, long: true,
		about: "Copy the rows of a local file into a snapshot, so that one query joins them with what was fetched.",
	}, func(ctx context.Context, c *call, in snapshotImportIn) (*snapshotImportOut, error) {
		if err := api.CheckName("snapshot name", in.As); err != nil {
			return nil, err
		}
		src, err := in.source()
		if err != nil {
			return nil, err
		}
		path := in.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		return c.importRows(ctx, c.Files, src, analyst.ImportRequest{Name: in.As, Path: filepath.Clean(path), Force: in.Force})
	})
}

// importRows reads a file and makes a snapshot of its rows.
func (c *call) importRows(ctx context.Context, files *table.Tables, src table.Source, req analyst.ImportRequest) (*snapshotImportOut, error) {
	req.OnProgress = c.progress.rows
	req.Open = func(ctx context.Context) (*analyst.FileRows, error) {
		s, err := files.Stream(ctx, src)
		if err != nil {
			return nil, err
		}
		return &analyst.FileRows{Batches: s.Batches, Rows: s.Rows, Caveats: s.Caveats, Close: s.Close}, nil
	}
	r, err := c.Work.Import(ctx, req)
	if err != nil {
		return nil, err
	}
	c.suggest("the snapshot is a table now", "query", map[string]any{"sql": `SELECT count(*) FROM "` + r.Snapshot.Name + `"`})
	return &snapshotImportOut{Snapshot: held(r.Snapshot), Caveats: c.worded(r.Caveats)}, nil
}
