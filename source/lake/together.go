package lake

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
)

// fewFiles is how many files a table has at most that is described together with
// others. A table of many files takes its own statements anyway.
const fewFiles = 20

// Prepare implements source.Preparer: it describes parquet tables together, with
// a few statements for hundreds of them, because a statement costs more than
// the footer that it reads. Other tables, and those with an error, are left to
// Schema.
func (l *Lake) Prepare(ctx context.Context, rels []source.Relation) {
	found := make([]*table, len(rels))
	var group errgroup.Group
	group.SetLimit(4)
	for i, rel := range rels {
		group.Go(func() error {
			set, err := l.version(ctx, rel)
			if err == nil && set.format.Kind == format.Parquet && set.reading == nil && len(set.keys) == 0 && len(set.files) <= fewFiles {
				found[i] = &table{name: rel.Name, set: set}
			}
			return nil
		})
	}
	_ = group.Wait() // cannot fail: Schema says what is wrong with a table
	var list []*table
	taken, files := map[string]bool{}, 0
	for _, t := range found {
		if t == nil || slices.ContainsFunc(t.set.files, func(f file) bool { return taken[f.rel] }) {
			continue // a statement can read a file only once
		}
		if _, ok := l.tables.Get(key(t.name, t.set)); ok {
			continue
		}
		if files += len(t.set.files); files > portion {
			l.prepare(ctx, list)
			list, files = nil, len(t.set.files)
		}
		list = append(list, t)
		for _, f := range t.set.files {
			taken[f.rel] = true
		}
	}
	l.prepare(ctx, list)
}

// prepare describes and caches tables together. If that fails, it tries each half
// of them, until those with the error are alone.
func (l *Lake) prepare(ctx context.Context, list []*table) {
	if len(list) < 2 || ctx.Err() != nil {
		return
	}
	tables, err := held(l, func(h *hold) ([]*table, error) { return l.describeTogether(ctx, h, list) })
	if err != nil {
		l.prepare(ctx, list[:len(list)/2])
		l.prepare(ctx, list[len(list)/2:])
		return
	}
	for _, t := range tables {
		l.tables.Put(key(t.name, t.set), t, len(t.set.files)+len(t.columns))
	}
}

// describeTogether reads the footers of tables as if all files were of one table.
// It leaves out tables whose files do not form one.
func (l *Lake) describeTogether(ctx context.Context, h *hold, list []*table) (tables []*table, err error) {
	all := &fileSet{format: format.Of(".parquet")}
	for _, t := range list {
		for _, f := range t.set.files {
			f.index = len(all.files)
			all.files = append(all.files, f)
		}
	}
	if err := h.bring(ctx, all.files, false); err != nil {
		return nil, err
	}
	s, err := l.engines.Session(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { s.Done(err == nil) }()
	layouts, err := l.layouts(ctx, s, all)
	if err == nil {
		err = l.readLayouts(ctx, s, all, layouts)
	}
	if err != nil {
		return nil, err
	}
	byFile := map[string]*layout{}
	for i := range layouts {
		for _, f := range layouts[i].files {
			byFile[f.rel] = &layouts[i]
		}
	}
	for _, t := range list {
		if own, err := ofLayouts(t.set, layoutsOf(t.set, byFile)); err == nil {
			own.name = t.name
			tables = append(tables, own)
		}
	}
	if err := l.totalsTogether(ctx, s, all, tables); err != nil {
		return nil, err
	}
	return tables, l.project(ctx, s, tables...)
}

// layoutsOf are the layouts of one table's files, that of the first file first.
func layoutsOf(set *fileSet, byFile map[string]*layout) (own []layout) {
	at := map[*layout]int{}
	for _, f := range set.files {
		y := byFile[f.rel]
		i, ok := at[y]
		if !ok {
			i = len(own)
			at[y] = i
			own = append(own, layout{leaves: y.leaves, required: y.required, cut: y.cut, columns: y.columns, renamed: y.renamed})
		}
		own[i].files = append(own[i].files, f)
	}
	return own
}

// totalsTogether counts the rows, row groups and stored bytes of tables, like
// readTotals.
func (l *Lake) totalsTogether(ctx context.Context, s *embedded.Session, all *fileSet, tables []*table) error {
	type part struct {
		*table
		layout *layout
	}
	parts := map[string]part{}
	for _, t := range tables {
		t.rows = new(int64)
		for i := range t.layouts {
			for _, f := range t.layouts[i].files {
				parts[f.rel] = part{t, &t.layouts[i]}
			}
		}
	}
	return l.portions(all, all.files, func(k *linked, files []file) error {
		sql := `SELECT file_name, column_id, count(*), sum(row_group_num_rows)::BIGINT, sum(total_compressed_size)::BIGINT
			FROM parquet_metadata(` + k.list(files) + `) GROUP BY 1, 2`
		return s.Rows(ctx, sql, func(v []any) error {
			f, err := k.file(v[0])
			if err != nil {
				return err
			}
			p, ok := parts[f.rel]
			if !ok {
				return nil
			}
			var n [5]int64
			for i := 1; i < len(n); i++ {
				n[i], _ = v[i].(int64)
			}
			leaf, err := p.layout.leaf(n[1])
			if err != nil {
				return err
			}
			if n[1] == 0 { // each leaf has a chunk in each row group
				p.layout.groups += int(n[2])
				*p.rows += n[3]
			}
			p.stores(leaf.column, n[4])
			return nil
		})
	})
}
