package lake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
)

// layout says how a group of a table's files stores the columns. Files of one
// table can differ only in the order of columns and in which of them are
// nullable.
type layout struct {
	files []file
	// leaves are the stored columns in the order of the file; a nested column
	// has several.
	leaves []leaf
	// groups is the number of row groups in all files.
	groups int
	// required are the columns that are never NULL, by name.
	required map[string]bool
	columns  []api.Column
}

// leaf is one stored column.
type leaf struct {
	column string // the top-level column that it belongs to
	// plain says that the leaf is all of the column, one value a row.
	plain bool
}

// describeParquet reads footers only.
func (l *Lake) describeParquet(ctx context.Context, s *session, set *fileSet) (*table, error) {
	t := &table{set: set}
	layouts, err := l.layouts(ctx, s, set)
	if err != nil {
		return nil, err
	}
	for i := range layouts {
		if err := l.readLayout(ctx, s, set, &layouts[i]); err != nil {
			return nil, err
		}
		if err := alike(&layouts[0], &layouts[i]); err != nil {
			return nil, err
		}
	}
	t.layouts = layouts
	// All layouts have the same columns; the first file's order is the table's.
	cols := slices.Clone(layouts[0].columns)
	for i := range cols {
		cols[i].Nullable = slices.ContainsFunc(layouts, func(y layout) bool { return !y.required[cols[i].Name] })
	}
	if t.columns, err = withHive(set, cols); err != nil {
		return nil, err
	}
	t.head, t.tail = "read_parquet(", hiveOptions(set, cols)+")"
	return t, l.readTotals(ctx, s, t)
}

// element is one line of a parquet file's schema, as the engine lists it.
const element = `(coalesce(name, ''), type, type_length, repetition_type, coalesce(num_children, 0),
	converted_type, scale, precision, logical_type)`

// layouts groups the files by the columns in their footers; the group of the
// first file comes first.
func (l *Lake) layouts(ctx context.Context, s *session, set *fileSet) ([]layout, error) {
	group := map[string]int{}
	members := [][]int{}
	err := l.portions(set, set.files, func(k *linked, files []file) error {
		sql := `SELECT file_name, md5(list(` + element + ` ORDER BY column_id)::VARCHAR)
			FROM parquet_schema(` + k.list(files) + `) WHERE column_id > 0 GROUP BY file_name`
		return s.rows(ctx, sql, func(v []any) error {
			sum, _ := v[1].(string)
			f, err := k.file(v[0])
			if err != nil {
				return err
			}
			g, ok := group[sum]
			if !ok {
				g = len(members)
				group[sum] = g
				members = append(members, nil)
			}
			members[g] = append(members[g], f.index)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		slices.Sort(m)
	}
	slices.SortFunc(members, func(a, b []int) int { return a[0] - b[0] })
	out := make([]layout, len(members))
	for g, m := range members {
		for _, i := range m {
			out[g].files = append(out[g].files, set.files[i])
		}
	}
	return out, nil
}

// readLayout reads the stored columns of a layout's first file.
func (l *Lake) readLayout(ctx context.Context, s *session, set *fileSet, y *layout) error {
	k, err := l.link(set, y.files[:1])
	if err != nil {
		return err
	}
	defer k.close()
	one := k.list(y.files[:1])
	y.required = map[string]bool{}
	var open []int64 // children that are still to come, by depth
	var top string
	var names []string
	err = s.rows(ctx, `SELECT coalesce(name, ''), coalesce(num_children, 0), repetition_type FROM parquet_schema(`+one+`)
		WHERE column_id > 0 ORDER BY column_id`, func(v []any) error {
		name, _ := v[0].(string)
		children, _ := v[1].(int64)
		if len(open) == 0 {
			top = name
			names = append(names, name)
			if v[2] == "REQUIRED" {
				y.required[name] = true
			}
		}
		if children == 0 {
			// A repeated leaf is a list in the old encoding.
			y.leaves = append(y.leaves, leaf{column: top, plain: len(open) == 0 && v[2] != "REPEATED"})
		} else {
			open = append(open, children+1) // including this one, which is subtracted below
		}
		for len(open) > 0 {
			if open[len(open)-1]--; open[len(open)-1] > 0 {
				break
			}
			open = open[:len(open)-1]
		}
		return nil
	})
	if err != nil {
		return err
	}
	y.columns, err = described(ctx, s, "read_parquet("+one+hiveOptions(set, nil)+")")
	if err != nil {
		return err
	}
	for _, c := range y.columns {
		if err := duckdb.FewLists(c.Name, c.Type); err != nil {
			return sourceError(api.SourceUnreadable, y.files[0].rel+" cannot be read: "+err.Error(), nil)
		}
	}
	return y.rename(set, names)
}

// rename gives the leaves the names that the engine uses: it makes names unique
// without regard to case.
func (y *layout) rename(set *fileSet, stored []string) error {
	if len(y.columns) < len(stored) {
		return unreadable(y.files[0].rel, fmt.Errorf("%d columns are stored, %d are read", len(stored), len(y.columns)))
	}
	names := map[string]string{}
	required := map[string]bool{}
	for i, s := range stored {
		name := y.columns[i].Name
		if _, twice := names[s]; twice {
			return badPath(y.files[0].rel, fmt.Sprintf("it stores two columns %q", s))
		}
		names[s] = name
		// A partition key replaces a stored column of its name.
		required[name] = y.required[s] && !slices.Contains(set.keys, name)
	}
	for i := range y.leaves {
		y.leaves[i].column = names[y.leaves[i].column]
	}
	y.required = required
	return nil
}

// alike fails if two groups of files cannot form one table, and names one file of
// each.
func alike(a, b *layout) error {
	fileA, fileB := a.files[0].rel, b.files[0].rel
	types := map[string]string{}
	for _, c := range a.columns {
		types[c.Name] = c.Type
	}
	var wrong []string
	for _, c := range b.columns {
		typ, ok := types[c.Name]
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("only the second has %q", c.Name))
		case typ != c.Type:
			wrong = append(wrong, fmt.Sprintf("%q is %s in the first and %s in the second", c.Name, typ, c.Type))
		}
		delete(types, c.Name)
	}
	for _, c := range a.columns {
		if _, missing := types[c.Name]; missing {
			wrong = append(wrong, fmt.Sprintf("only the first has %q", c.Name))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	e := sourceError(api.SourceUnlikeFiles, fmt.Sprintf("%s and %s make no table together: %s", fileA, fileB,
		api.Clip(strings.Join(wrong, "; "), 500)), nil)
	e.Details = map[string]any{"files": []string{fileA, fileB}}
	return e
}

// readTotals counts rows and stored bytes.
func (l *Lake) readTotals(ctx context.Context, s *session, t *table) error {
	rows := int64(0)
	for i := range t.layouts {
		y := &t.layouts[i]
		err := l.portions(t.set, y.files, func(k *linked, files []file) error {
			n, err := l.readSizes(ctx, s, t, y, k.list(files))
			rows += n
			return err
		})
		if err != nil {
			return err
		}
	}
	t.rows = &rows
	return nil
}

// readSizes counts the rows of some files of a layout, and adds up their row
// groups and stored sizes.
func (l *Lake) readSizes(ctx context.Context, s *session, t *table, y *layout, files string) (rows int64, err error) {
	err = s.rows(ctx, `SELECT sum(num_rows)::BIGINT, sum(num_row_groups)::BIGINT FROM parquet_file_metadata(`+files+`)`, func(v []any) error {
		rows, _ = v[0].(int64)
		groups, _ := v[1].(int64)
		y.groups += int(groups)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return rows, s.rows(ctx, `SELECT column_id, sum(total_compressed_size)::BIGINT FROM parquet_metadata(`+files+`) GROUP BY 1`, func(v []any) error {
		id, _ := v[0].(int64)
		n, _ := v[1].(int64)
		if id < 0 || id >= int64(len(y.leaves)) {
			return unreadable(y.files[0].rel, fmt.Errorf("column %d of %d", id, len(y.leaves)))
		}
		if c, ok := t.column(y.leaves[id].column); ok && c.hive < 0 {
			c.bytes += n
		}
		return nil
	})
}
