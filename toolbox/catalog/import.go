package catalog

import (
	"context"
	"path/filepath"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
)

type snapshotImportIn struct {
	tool.FileIn
	As    string `json:"as" jsonschema:"name of the snapshot"`
	Force bool   `json:"force,omitempty" jsonschema:"replace a snapshot of that name"`
}

// SnapshotImportOut is the answer of tools that make a snapshot of a file.
type SnapshotImportOut struct {
	Snapshot heldSnapshot `json:"snapshot"`
	Caveats  []api.Caveat `json:"caveats"`
}

func snapshotImport() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "snapshot_import", Title: "Put a local file beside snapshots", Needs: tool.NeedsStore | tool.NeedsFiles, Engine: true,
		Destructive: true, Idempotent: true, Long: true,
		About: "Copy the rows of a local file into a snapshot, so that one query joins them with what was fetched.",
	}, func(ctx context.Context, c *tool.Call, in snapshotImportIn) (*SnapshotImportOut, error) {
		if err := api.CheckName("snapshot name", in.As); err != nil {
			return nil, err
		}
		src, err := in.Source()
		if err != nil {
			return nil, err
		}
		path := in.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		return ImportRows(ctx, c, c.Files, src, keep.ImportRequest{Name: in.As, Path: filepath.Clean(path), Force: in.Force})
	})
}

// ImportRows reads a file and makes a snapshot of its rows.
func ImportRows(ctx context.Context, c *tool.Call, files *table.Tables, src table.Source,
	req keep.ImportRequest) (*SnapshotImportOut, error) {
	req.OnProgress = c.Progress.Rows
	req.Open = func(ctx context.Context) (*keep.FileRows, error) {
		s, err := files.Stream(ctx, src)
		if err != nil {
			return nil, err
		}
		return &keep.FileRows{Batches: s.Batches, Rows: s.Rows, Caveats: s.Caveats, Dated: s.Dated, Close: s.Close}, nil
	}
	r, err := keep.Import(ctx, c.Work, req)
	if err != nil {
		return nil, err
	}
	c.Suggest("the snapshot is a table now", "query", map[string]any{"sql": `SELECT count(*) FROM "` + r.Snapshot.Name + `"`})
	return &SnapshotImportOut{Snapshot: newHeldSnapshot(r.Snapshot), Caveats: c.Worded(r.Caveats)}, nil
}
