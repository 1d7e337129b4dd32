package listed

import (
	"context"
	"sync"
)

// totals are the sizes of a whole table, once they are known.
type totals struct {
	mu    sync.Mutex
	known bool
	rows  *int64 // nil: unknown
	bytes int64
}

// of returns how many rows the table has, nil if its metadata do not say, and the
// bytes of its files.
func (t *totals) of(ctx context.Context, r *Request, table *Table) (rows *int64, bytes int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known {
		return t.rows, t.bytes, nil
	}
	files, err := table.Plan.Files(ctx, r, func(Group) bool { return true })
	if err != nil {
		return nil, 0, err
	}
	n, exact := int64(0), true
	for i := range files {
		live := files[i].live()
		exact = exact && live.Low == live.High
		n += live.Low
	}
	t.known, t.bytes = true, sizeOf(files)
	if exact {
		t.rows = &n
	}
	return t.rows, t.bytes, nil
}

// sizeOf adds up the files, and those that say which rows are deleted, each once.
func sizeOf(files []File) (bytes int64) {
	seen := map[string]bool{}
	for i := range files {
		bytes += files[i].Size
		for _, a := range files[i].Also {
			if !seen[a.Path] {
				seen[a.Path] = true
				bytes += a.Size
			}
		}
	}
	return bytes
}
