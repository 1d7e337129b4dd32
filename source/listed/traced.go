package listed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
)

var _ source.Tracer = (*Source)(nil)

// Traceable implements source.Tracer: for tables of files that their metadata list.
func (s *Source) Traceable(ctx context.Context, scan source.Scan) (bool, error) {
	return with(ctx, s, func(r *Request) (bool, error) {
		t, err := s.table(ctx, r, scan.Relation)
		if err != nil {
			return false, err
		}
		return t.Reading != "" && scan.Limit == nil && len(scan.OrderBy) == 0, nil
	})
}

// number is a name for the column with the number of a row's file that no column has.
func (t *Table) number() string {
	name := "file"
	for slices.ContainsFunc(t.Columns, func(c api.Column) bool { return strings.EqualFold(c.Name, name) }) {
		name += "_"
	}
	return name
}

// identity is another one once the file has other live rows, or is read in another way.
func (t *Table) identity(f *File) string {
	return fmt.Sprintf("%q %d %q %q %q", f.Path, f.Size, fmt.Sprint(f.Also), f.Mark, t.Reading)
}

// trace are the rows of some files, in the order of these.
type trace struct {
	*embedded.Traced
	read, held []File
	table      *Table
	ruled      bool
}

// trace parts the files of a scan into those that it reads, and those whose rows its
// caller has.
func (t *Table) trace(scan source.Scan, files []File) *trace {
	out := &trace{table: t, ruled: scan.Relation.Rule != nil}
	for _, f := range files {
		if scan.Held != nil && scan.Held(t.identity(&f)) {
			out.held = append(out.held, f)
		} else {
			out.read = append(out.read, f)
		}
	}
	return out
}

// Files implements source.TracedRows. Under a row rule, files without any visible row
// are left out.
func (r *reader) Files() (all []source.FileRows) {
	t := r.trace
	if t == nil || t.Mixed {
		return nil
	}
	for _, n := range t.Order {
		all = append(all, source.FileRows{File: t.table.identity(&t.read[n]), Rows: t.Rows[n]})
	}
	for i := range t.read {
		if t.Rows[int32(i)] == 0 && !t.ruled { //nolint:gosec // at most embedded.MaxTraced
			all = append(all, source.FileRows{File: t.table.identity(&t.read[i])})
		}
	}
	for i := range t.held {
		all = append(all, source.FileRows{File: t.table.identity(&t.held[i]), Held: true})
	}
	return all
}
