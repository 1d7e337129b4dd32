package iceberg

import (
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"math/big"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/source/listed"
)

// group are data files that one SELECT reads: they store columns alike, and rows
// are deleted from them in the same ways.
type group struct {
	layout *layout
	tasks  []*task
	paths  []string
	at     []string // their numbers among the files of the scan
}

// From implements listed.Plan.
func (p *plan) From(ctx context.Context, r *listed.Request, files []listed.File, number string) (string, error) {
	if err := listed.Bring(r, files); err != nil {
		return "", err
	}
	paths := make([]string, len(files))
	for i, f := range files {
		var err error
		if paths[i], err = r.Link(f.Path, f.Size); err != nil {
			return "", err
		}
	}
	layouts, err := p.layouts(ctx, r, paths)
	if err != nil {
		return "", err
	}
	groups, order := map[string]*group{}, []string(nil)
	for i, f := range files {
		t, y := f.Of.(*task), layouts[i] //nolint:forcetypeassert // ours
		if y == nil || !y.ids && p.mapping == nil {
			return "", listed.Refused(fmt.Sprintf("the columns of its file %s have no ids, and the table has no schema.name-mapping.default",
				f.Path))
		}
		key := fmt.Sprintf("%t %t %v %s", t.vector != nil, len(t.positions) > 0, slices.Sorted(p.deletedBy(t)), y.key)
		if groups[key] == nil {
			groups[key] = &group{layout: y}
			order = append(order, key)
		}
		g := groups[key]
		g.tasks, g.paths, g.at = append(g.tasks, t), append(g.paths, paths[i]), append(g.at, fmt.Sprint(i))
	}
	selects := make([]string, len(order))
	for i, key := range order {
		if selects[i], err = p.read(ctx, r, groups[key], number); err != nil {
			return "", err
		}
	}
	return "(" + strings.Join(selects, " UNION ALL ") + ")", nil
}

// read selects the live rows of a group.
func (p *plan) read(ctx context.Context, r *listed.Request, g *group, number string) (string, error) {
	stored, values := []listed.Stored(nil), map[int]string{}
	read := func(f *field) error {
		if values[f.ID] != "" {
			return nil
		}
		s, expr, err := g.layout.read(f, p.mapping, fmt.Sprintf("src.c%d", len(stored)))
		if err != nil {
			return err
		}
		if s != nil {
			stored = append(stored, *s)
		} else if constant, ok := p.constant(f, g.tasks); ok {
			expr = constant
		}
		if p.promoted(f) {
			expr = listed.Filtered(expr)
		}
		values[f.ID] = expr
		return nil
	}
	items := make([]string, len(p.schema.Fields))
	for i := range p.schema.Fields {
		f := &p.schema.Fields[i]
		if err := read(f); err != nil {
			return "", err
		}
		items[i] = values[f.ID] + " AS " + duckdb.Quote(f.Name)
	}
	var joins, conditions []string
	for _, e := range equalities(g.tasks) {
		for _, id := range e.keys {
			if p.old[id] == nil {
				return "", listed.Refused(fmt.Sprintf("rows are deleted by the field %d, which is not a column", id))
			}
			if err := read(p.old[id]); err != nil { // a dropped column, too
				return "", err
			}
		}
		join, condition, err := p.equality(ctx, r, g, e, fmt.Sprintf("e%d", len(joins)), values)
		if err != nil {
			return "", err
		}
		joins, conditions = append(joins, join), append(conditions, condition)
	}
	if number != "" {
		items = append(items, listed.PerFile("INTEGER", g.at)+" AS "+duckdb.Quote(number))
	}
	from := listed.ReadParquet(g.paths, stored)
	gone, err := p.gone(ctx, r, g)
	if err != nil {
		return "", err
	}
	if gone != "" {
		from = listed.Without(from, gone)
	} else {
		from += " AS src"
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM " + from + strings.Join(joins, "")
	if len(conditions) > 0 {
		sql += " WHERE " + strings.Join(conditions, " AND ")
	}
	return sql, nil
}

// constant is the value of a column that is stored in the partition only, as in tables
// imported from Hive. It returns false if no partition has the column.
func (p *plan) constant(f *field, tasks []*task) (string, bool) {
	typ, err := f.Type.Engine(simple, listed.Logical)
	missing, noDefault := missingValue(f)
	if err != nil || noDefault != nil {
		return "", false
	}
	literals, found := make([]string, len(tasks)), false
	for i, t := range tasks {
		if literals[i] = "NULL"; missing != nil {
			literals[i] = duckdb.Literal(*missing)
		}
		for _, part := range p.spec(t.spec) {
			if value, there := t.partition[part.ID]; there && part.Source == f.ID && part.Transform == "identity" {
				literals[i], found = literal(f.Type.Name, value), true
			}
		}
	}
	return "CAST(" + listed.PerFile("VARCHAR", literals) + " AS " + typ + ")", found
}

// literal writes a value of a partition as text.
func literal(typ string, value any) string {
	u, clock := unit(typ)
	switch v := value.(type) {
	case bool:
		return duckdb.Literal(fmt.Sprint(v))
	case float64:
		return duckdb.Literal(strconv.FormatFloat(v, 'g', -1, 64))
	case int64:
		switch {
		case typ == "date":
			return duckdb.Literal(moment(v*86400, 1e9).Format("2006-01-02"))
		case typ == "time":
			return duckdb.Literal(moment(v, u).Format("15:04:05.999999"))
		case clock:
			return duckdb.Literal(moment(v, u).Format("2006-01-02 15:04:05.999999999"))
		}
		return duckdb.Literal(fmt.Sprint(v))
	case []byte:
		scale, isDecimal := listed.ScaleOf(typ)
		switch {
		case typ == "string":
			return duckdb.Literal(string(v))
		case isDecimal:
			unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
			return duckdb.Literal(new(big.Rat).SetFrac(twos(v), unit).FloatString(scale))
		case typ == "uuid":
			return duckdb.Literal(hex.EncodeToString(v))
		}
		var text strings.Builder // of bytes
		for _, b := range v {
			fmt.Fprintf(&text, `\x%02X`, b)
		}
		return duckdb.Literal(text.String())
	}
	return "NULL"
}

// gone is a relation of the rows that are deleted by their places; empty: there are
// none.
func (p *plan) gone(ctx context.Context, r *listed.Request, g *group) (string, error) {
	if g.tasks[0].vector != nil {
		all := make([]listed.Gone, len(g.tasks))
		for i, t := range g.tasks {
			rel, err := p.pathBelow(r.Root, t.vector.path)
			if err != nil {
				return "", err
			}
			raw, err := listed.ReadVector(r.Root, rel, t.vector.at, t.vector.length-8)
			if err != nil {
				return "", err
			}
			all[i].File = i
			if all[i].Rows, err = listed.Bitmap(raw, t.vector.rows); err != nil {
				return "", listed.Broken(rel, err)
			}
		}
		return r.LinkGone(ctx, all)
	}
	var paths, pairs []string
	at := map[*entry]int{}
	for i, t := range g.tasks {
		for _, d := range t.positions {
			if _, ok := at[d]; !ok {
				path, err := p.link(r, d)
				if err != nil {
					return "", err
				}
				at[d] = len(paths)
				paths = append(paths, path)
			}
			pairs = append(pairs, fmt.Sprintf("(%d, %s, %d)", at[d], duckdb.Literal(t.path), i))
		}
	}
	if len(paths) == 0 {
		return "", nil
	}
	places := listed.ReadParquet(paths, []listed.Stored{{Key: "'file_path'", Type: "VARCHAR"}, {Key: "'pos'", Type: "BIGINT"}})
	return "(SELECT of.file, src.c1 AS row FROM " + places + " AS src JOIN (VALUES " + strings.Join(pairs, ", ") +
		") AS of(list, path, file) ON of.list = src.file_index AND of.path = src.c0)", nil
}

func (p *plan) link(r *listed.Request, e *entry) (string, error) {
	rel, err := p.pathBelow(r.Root, e.path)
	if err != nil {
		return "", err
	}
	return r.Link(rel, e.size)
}

// deletedBy names the delete files of a data file: one by one in a plan of a catalog, else by
// bundle.
func (p *plan) deletedBy(t *task) iter.Seq[string] {
	if p.planning == nil {
		return bundles(t.equal)
	}
	return func(yield func(string) bool) {
		for _, e := range t.equal {
			if !yield(e.path) {
				return
			}
		}
	}
}

// bundle are files that delete rows by the same columns in the same partition.
type bundle struct {
	keys  []int
	files []*entry
}

// bundles names those of some files.
func bundles(list []*entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		for _, e := range list {
			if key := e.bundle(); !seen[key] {
				seen[key] = true
				if !yield(key) {
					return
				}
			}
		}
	}
}

func (e *entry) bundle() string { return fmt.Sprint(e.keys, len(e.partition) > 0, e.key()) }

// equalities collects what deletes rows by keys from the files of a group.
func equalities(tasks []*task) []*bundle {
	all, order := map[string]*bundle{}, []string(nil)
	seen := map[string]bool{}
	for _, t := range tasks {
		for _, e := range t.equal {
			if seen[e.path] {
				continue
			}
			seen[e.path] = true
			key := e.bundle()
			if all[key] == nil {
				all[key] = &bundle{keys: e.keys}
				order = append(order, key)
			}
			all[key].files = append(all[key].files, e)
		}
	}
	slices.Sort(order)
	out := make([]*bundle, len(order))
	for i, key := range order {
		out[i] = all[key]
	}
	return out
}

// equality joins the newest deletion of each key: NULL equals NULL. A row is deleted
// if that is newer than the row's file.
func (p *plan) equality(ctx context.Context, r *listed.Request, g *group, b *bundle, name string,
	values map[int]string) (join, condition string, err error) {
	paths, newest := make([]string, len(b.files)), make([]string, len(b.files))
	for i, e := range b.files {
		if paths[i], err = p.link(r, e); err != nil {
			return "", "", err
		}
		newest[i] = fmt.Sprint(e.seq)
	}
	layouts, err := p.layouts(ctx, r, paths)
	if err != nil {
		return "", "", err
	}
	var stored []listed.Stored
	var keys, on []string
	for i, id := range b.keys {
		f := p.old[id]
		typ, err := f.Type.Engine(simple, listed.Logical)
		if err != nil {
			return "", "", err
		}
		if f.Type.Name == "" || f.Type.Name == "float" || f.Type.Name == "double" || f.Type.Name == "timestamptz_ns" || f.Type.Name == "variant" {
			return "", "", listed.Refused(fmt.Sprintf("rows are deleted by the column %q of type %s", f.Name, typ))
		}
		stored = append(stored, listed.Stored{Key: fmt.Sprint(id), Type: typ})
		keys = append(keys, fmt.Sprintf("src.c%d AS k%d", i, i))
		on = append(on, fmt.Sprintf("%s IS NOT DISTINCT FROM %s.k%d", values[id], name, i))
	}
	for i, y := range layouts {
		if y == nil || !y.ids || len(keys) == 0 {
			return "", "", listed.Refused(fmt.Sprintf("its file of deleted rows %s has no ids of columns", path.Base(b.files[i].path)))
		}
	}
	data := make([]string, len(g.tasks))
	for i, t := range g.tasks {
		data[i] = fmt.Sprint(t.seq)
	}
	join = " LEFT JOIN (SELECT * EXCLUDE (seq), max(seq) AS seq FROM (SELECT " + strings.Join(keys, ", ") + ", " + listed.PerFile("BIGINT",
		newest) + " AS seq FROM " +
		listed.ReadParquet(paths, stored) + " AS src) GROUP BY ALL) AS " + name + " ON " + strings.Join(on, " AND ")
	return join, "coalesce(" + name + ".seq, -1) <= " + listed.PerFile("BIGINT", data), nil
}
