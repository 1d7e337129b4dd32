package table

import (
	"context"

	"github.com/agnes-data/da/table/intake"
)

// nearStart reports whether rows are read from the file itself: they end within
// its first part, and no database of it has been built, which would take another
// reading of the whole file.
func (l *looked) nearStart(columns []string, r RowsRequest) bool {
	p := l.profile()
	if len(columns) > intake.EngineColumns || !l.file.Ours() || l.entry.Head.Database != "" || p.Rows == 0 {
		return false
	}
	share := min(1, float64(r.RowStart-1+r.RowCount)/float64(p.Rows))
	return share*float64(l.file.Info.Size()) <= small
}

// readStart reads a file from its first row to the end of the window.
func (t *Tables) readStart(ctx context.Context, l *looked, columns []string, r RowsRequest, w *window) error {
	rows, err := l.file.Load(ctx, l.profile().Pick(columns))
	if err != nil {
		return t.explain(l.shown, err)
	}
	defer rows.Release()
	w.skip = r.RowStart - 1
	if err := w.read(rows); err != nil {
		return t.explain(l.shown, err)
	}
	return nil
}
