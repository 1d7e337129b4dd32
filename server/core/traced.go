package core

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// trace makes a scan read its table file by file, if that is possible, and skip
// files whose rows the caller already has.
func (c *Core) trace(ctx context.Context, p *prepared, heldFiles []string) error {
	tracer, ok := p.source.(source.Tracer)
	if !ok {
		return nil
	}
	var err error
	if p.scan.Traced, err = tracer.Traceable(ctx, p.scan); err != nil {
		return c.sourceError(ctx, p.table, err)
	}
	if !p.scan.Traced || len(heldFiles) == 0 {
		return nil
	}
	held := make(map[string]bool, len(heldFiles))
	for _, id := range heldFiles {
		held[id] = true
	}
	p.scan.Held = func(file string) bool { return held[c.fileID(p, file)] }
	return nil
}

// fileID identifies a file of the table, given its declaration and this build.
func (c *Core) fileID(p *prepared, file string) string { return c.versionOf(p, "file "+file) }

// filesOf returns a function that lists, after the last row, the files that the
// rows came from; nil if unknown.
func (c *Core) filesOf(p *prepared, rows array.RecordReader) func() []api.FileRows {
	filed, ok := rows.(source.TracedRows)
	return func() []api.FileRows {
		if !ok {
			return nil
		}
		var files []api.FileRows
		for _, f := range filed.Files() {
			files = append(files, api.FileRows{ID: c.fileID(p, f.File), Rows: f.Rows, Held: f.Held, Values: f.Values})
		}
		return files
	}
}
