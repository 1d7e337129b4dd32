package python

import (
	"context"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/internal/disk/store"
)

// FromFiles places data sets that the tools of a conversation read by paths below
// root.
func FromFiles(tools *agent.Boxed, root string) Put {
	return func(ctx context.Context, d Dataset, dir string) (Placed, error) {
		format := "jsonl"
		if d.Parquet {
			format = "parquet"
		}
		base := store.NewID() + "." + format
		written := filepath.Join(root, base)
		rows, err := tools.Export(ctx, agent.Export{Path: d.Name, Sheet: d.Sheet, Columns: d.Columns, Rows: d.Rows, Target: base, Format: format})
		if err != nil {
			return Placed{}, err
		}
		if err := os.Rename(written, filepath.Join(dir, base)); err != nil {
			_ = os.Remove(written) // otherwise it is removed with its folder
			return Placed{}, err
		}
		if d.Parquet {
			return Placed{Base: base, Caveats: rows.Caveats}, nil
		}
		return Placed{Base: base, Columns: rows.Columns, Types: rows.Types, Caveats: rows.Caveats}, nil
	}
}
