package lake

import (
	"context"
	"slices"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// brought makes sure that the files that a scan needs are completely on disk, and
// returns only these: of others, only the footers may be there.
func (l *Lake) brought(ctx context.Context, h *hold, t *table, scan source.Scan) ([]file, error) {
	files, err := l.needed(ctx, t, scan)
	if err != nil {
		return nil, err
	}
	// The footers of the other files have been read, so these files can be
	// released.
	h.forget()
	return files, h.bring(ctx, files, true)
}

// needed lists the parquet files that can have rows of a scan, by their
// partitions and footers. It always has at least one file, for the types.
func (l *Lake) needed(ctx context.Context, t *table, scan source.Scan) ([]file, error) {
	rule := scan.Relation.Rule
	if !source.CannotFail(rule) { // the rule must see the same rows whatever the caller asks for
		scan.Where, scan.Limit = nil, nil
	}
	e := &estimate{table: t, scan: scan, where: predicate.And(rule, scan.Where)}
	var err error
	if e.constants, err = l.engines.Constants(ctx, e.where, scan.Env); err != nil {
		return nil, l.failure(ctx, nil, err, asking{computes: true})
	}
	f, err := l.footer(ctx, scan.Relation.Name, t, e.columns())
	if err != nil {
		return nil, err
	}
	need := map[string]bool{}
	for i := range f.groups {
		g := &f.groups[i]
		if e.enough() {
			break
		}
		if g.rows == 0 || !e.chance(g.file, g).MayHold() || t.reads(scan, g.file) {
			continue
		}
		need[g.file.rel] = true
		e.rows.Low += g.rows
	}
	files := slices.DeleteFunc(slices.Clone(t.set.files), func(f file) bool { return !need[f.rel] })
	if len(files) == 0 {
		files = t.set.files[:1]
	}
	return files, nil
}
