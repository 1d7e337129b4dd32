package lake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/source/embedded"
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
	// cut are the columns whose nanoseconds the engine cuts, by name.
	cut     map[string]bool
	columns []api.Column
	// renamed tells which columns have other names than in the files.
	renamed []api.Caveat
}

// leaf is one stored column.
type leaf struct {
	column string // the top-level column that it belongs to
	// plain says that the leaf is all of the column, one value a row.
	plain bool
}

// leaf returns the leaf with that number in the engine's lists.
func (y *layout) leaf(id int64) (leaf, error) {
	if id < 0 || id >= int64(len(y.leaves)) {
		return leaf{}, unreadable(y.files[0].rel, fmt.Errorf("column %d of %d", id, len(y.leaves)))
	}
	return y.leaves[id], nil
}

// element is one line of a parquet file's schema, as the engine lists it.
const element = `(coalesce(name, ''), type, type_length, repetition_type, coalesce(num_children, 0),
	converted_type, scale, precision, logical_type)`

// layouts groups the files by the columns in their footers; the group of the
// first file comes first.
func (l *Lake) layouts(ctx context.Context, s *embedded.Session, set *fileSet) ([]layout, error) {
	if len(set.files) == 1 {
		return []layout{{files: set.files}}, nil
	}
	group := map[string]int{}
	members := [][]int{}
	err := l.portions(set, set.files, func(k *linked, files []file) error {
		sql := `SELECT file_name, md5(list(` + element + ` ORDER BY column_id)::VARCHAR)
			FROM parquet_schema(` + k.list(files) + `) WHERE column_id > 0 GROUP BY file_name`
		return s.Rows(ctx, sql, func(v []any) error {
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
	out, grouped := make([]layout, len(members)), 0
	for g, m := range members {
		grouped += len(m)
		for _, i := range m {
			out[g].files = append(out[g].files, set.files[i])
		}
	}
	if grouped < len(set.files) {
		return nil, unreadable(set.files[0].rel, errors.New("a file of the table has no columns"))
	}
	return out, nil
}

// atOnce is how many layouts are read with one statement.
const atOnce = 50

// readLayouts reads the stored columns of layouts, each from its first file.
func (l *Lake) readLayouts(ctx context.Context, s *embedded.Session, set *fileSet, layouts []layout) error {
	for part := range slices.Chunk(layouts, atOnce) {
		firsts := make([]file, len(part))
		for i, y := range part {
			firsts[i] = y.files[0]
		}
		k, err := l.link(set, firsts)
		if err != nil {
			return err
		}
		err = readLinked(ctx, s, set, k, firsts, part)
		k.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// readLinked reads layouts from their first files, which are linked.
func readLinked(ctx context.Context, s *embedded.Session, set *fileSet, k *linked, firsts []file, layouts []layout) error {
	trees, from := map[string]*tree{}, make([]string, len(layouts))
	for i := range layouts {
		trees[firsts[i].rel] = &tree{layout: &layouts[i]}
		layouts[i].required, layouts[i].cut = map[string]bool{}, map[string]bool{}
		from[i] = "read_parquet(" + k.list(firsts[i:i+1]) + hiveOptions(set) + ")"
	}
	err := s.Rows(ctx, `SELECT file_name, coalesce(name, ''), coalesce(num_children, 0), repetition_type, coalesce(precision, 0), coalesce(scale, 0),
		coalesce(type, ''), coalesce(logical_type, '') FROM parquet_schema(`+k.list(firsts)+`)
		WHERE column_id > 0 ORDER BY file_name, column_id`, func(v []any) error {
		f, err := k.file(v[0])
		if err != nil {
			return err
		}
		name, _ := v[1].(string)
		children, _ := v[2].(int64)
		repetition, _ := v[3].(string)
		precision, _ := v[4].(int64)
		scale, _ := v[5].(int64)
		if err := duckdb.ReadsDecimal(name, precision, scale); err != nil {
			e := sourceError(api.KindUnreadable, f.rel+" cannot be read: "+err.Error(), nil)
			e.Hint = duckdb.WideDecimalHint
			return e
		}
		t := trees[f.rel]
		t.add(name, children, repetition)
		stored, _ := v[6].(string)
		if logical, _ := v[7].(string); duckdb.CutsNanos(stored, logical) {
			t.layout.cut[t.top] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	columns, err := describedEach(ctx, s, from)
	if err != nil {
		return err
	}
	for i := range layouts {
		y := &layouts[i]
		y.columns = columns[i]
		for _, c := range y.columns {
			if err := errors.Join(duckdb.FewLists(c.Name, c.Type), duckdb.NamedFields(c.Name, c.Type)); err != nil {
				return sourceError(api.KindUnreadable, y.files[0].rel+" cannot be read: "+err.Error(), nil)
			}
		}
		if err := y.rename(set, trees[firsts[i].rel]); err != nil {
			return err
		}
	}
	return nil
}

// tree builds a layout from the elements of a file's schema, in their order.
type tree struct {
	layout *layout
	nested duckdb.Nesting
	top    string      // the column that the next elements belong to
	names  []string    // of the columns
	again  [][2]string // columns, and those of their fields whose name another field has in another case
}

func (t *tree) add(name string, children int64, repetition string) {
	top, again := t.nested.Next(name, children)
	if top {
		t.top = name
		t.names = append(t.names, name)
		if repetition == "REQUIRED" {
			t.layout.required[name] = true
		}
	}
	if again {
		t.again = append(t.again, [2]string{t.top, name})
	}
	if children == 0 {
		// A repeated leaf is a list in the old encoding.
		t.layout.leaves = append(t.layout.leaves, leaf{column: t.top, plain: top && repetition != "REPEATED"})
	}
}

// rename gives the leaves the names that the engine uses: it makes names unique
// without regard to case.
func (y *layout) rename(set *fileSet, t *tree) error {
	stored := t.names
	if len(y.columns) < len(stored) {
		return unreadable(y.files[0].rel, fmt.Errorf("%d columns are stored, %d are read", len(stored), len(y.columns)))
	}
	names, used := map[string]string{}, make([]string, len(y.columns))
	for i, c := range y.columns {
		used[i] = c.Name
	}
	required, cut := map[string]bool{}, map[string]bool{}
	for i, s := range stored {
		name := y.columns[i].Name
		if _, twice := names[s]; twice {
			return badPath(y.files[0].rel, fmt.Sprintf("it stores two columns %q", s))
		}
		names[s] = name
		if name != s {
			y.renamed = append(y.renamed, duckdb.CaseRenamed(s, name, used))
		}
		// A partition key replaces a stored column of its name.
		own := !slices.Contains(set.keys, name)
		required[name], cut[name] = y.required[s] && own, y.cut[s] && own
	}
	for _, f := range t.again {
		y.renamed = append(y.renamed, duckdb.FieldRenamed(names[f[0]], f[1]))
	}
	for i := range y.leaves {
		y.leaves[i].column = names[y.leaves[i].column]
	}
	y.required, y.cut = required, cut
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
	e := sourceError(api.KindUnlikeFiles, fmt.Sprintf("%s and %s make no table together: %s", fileA, fileB,
		api.Clip(strings.Join(wrong, "; "), 500)), nil)
	e.Details = map[string]any{"files": []string{fileA, fileB}}
	return e
}
