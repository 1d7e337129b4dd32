package delta

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/source/listed"
)

// features are those of the protocol that this package reads.
var features = []string{
	"deletionVectors", "columnMapping", "v2Checkpoint", "timestampNtz", "typeWidening", "typeWidening-preview", "variantType",
	"variantType-preview", "variantShredding", "variantShredding-preview", "vacuumProtocolCheck",
}

// table is what a replayed log says.
func (s *state) table(l *logFiles) (*listed.Table, error) {
	if s.protocol == nil || s.metaData == nil {
		return nil, incomplete(l.dir, "its beginning is gone, and no checkpoint stands for it")
	}
	if v := s.protocol.MinReaderVersion; v > 3 {
		return nil, listed.Refused(fmt.Sprintf("it takes a reader of version %d, and this one is of version 3", v))
	}
	for _, f := range s.protocol.ReaderFeatures {
		if !slices.Contains(features, f) {
			return nil, listed.Refused(fmt.Sprintf("it uses the feature %q", f))
		}
	}
	m := s.metaData
	if p := m.Format.Provider; p != "" && p != "parquet" {
		return nil, listed.Refused(fmt.Sprintf("its files are of the format %q", p))
	}
	p := &plan{dir: l.dir, version: l.version, mode: m.Configuration["delta.columnMapping.mode"]}
	var schema struct{ Fields []listed.Field }
	if err := json.Unmarshal([]byte(m.SchemaString), &schema); err != nil {
		return nil, listed.Broken(path.Join(l.dir, logFolder), err)
	}
	if err := listed.Distinct(schema.Fields); err != nil { // the protocol forbids them
		return nil, err
	}
	t := &listed.Table{
		Version: fmt.Sprintf("%d-%016x", l.version, xxh3.HashString(fmt.Sprintf("%s %s", m.ID, s.hash))), Description: m.Description, Plan: p,
		Reading: fmt.Sprintf("%016x", xxh3.HashString(fmt.Sprint(m.ID, m.SchemaString, m.PartitionColumns, p.mode))),
	}
	for i := range schema.Fields {
		f := &schema.Fields[i]
		typ, err := f.Type.Engine(simple, listed.Logical)
		if err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, api.Column{Name: f.Name, Type: typ, Nullable: f.Nullable, Description: f.Metadata.Comment,
			Fields: embedded.FieldsOf(typ)})
		if len(f.Metadata.Collations) > 0 {
			t.Caveats = append(t.Caveats, api.Caveat{Kind: api.CaveatOther, About: api.Subject{Columns: []string{f.Name}},
				Text: fmt.Sprintf("texts in column %q have a collation, and are compared here byte by byte: conditions may find fewer rows than in Spark", f.Name)})
		}
		of := column{Field: f, partition: slices.Contains(m.PartitionColumns, f.Name), typ: typ, physical: f.Name}
		if p.mapped() {
			of.physical = physical(f)
		}
		if of.partition {
			t.PartitionBy = append(t.PartitionBy, f.Name)
		}
		p.columns = append(p.columns, of)
	}
	for _, a := range s.live {
		p.files = append(p.files, a)
	}
	slices.SortFunc(p.files, func(a, b *add) int { return strings.Compare(a.Path, b.Path) })
	return t, nil
}

// plan implements listed.Plan.
type plan struct {
	dir     string
	version int64
	mode    string // how columns are found in files: by name, by id, or "" by their own names
	columns []column
	files   []*add // by path
}

type column struct {
	*listed.Field
	partition bool
	typ       string // the engine's
	physical  string // its name in files, statistics and partition values
}

func (p *plan) mapped() bool { return p.mode == "name" || p.mode == "id" }

// Lend implements listed.Lent.
func (p *plan) Lend() (folder string, version int64, ok bool, err error) {
	return p.dir, p.version, true, nil
}

// Files implements listed.Plan.
func (p *plan) Files(ctx context.Context, r *listed.Request, may func(listed.Group) bool) ([]listed.File, error) {
	var out []listed.File
	for _, a := range p.files {
		f := listed.File{Size: a.Size, Of: a, Mark: a.mark()}
		st := &statistics{add: a}
		f.Rows, f.Known = st.rows()
		f.Bounds = func(name string, kind predicate.Kind) (interval.Bounds, bool) {
			return p.bounds(st, f.Rows, name, kind)
		}
		if f.Exact = true; a.Vector != nil {
			f.Gone = a.Vector.Cardinality
		}
		if !may(f.Group) {
			continue
		}
		var err error
		if f.Path, err = p.pathBelow(r.Root, a.Path); err != nil {
			return nil, err
		}
		if a.Vector != nil {
			at, err := p.vectorFile(r.Root, a.Vector)
			if err != nil {
				return nil, err
			}
			if at != "" { // each vector of a file is read by itself
				f.Also = []listed.Sized{{Path: a.key(), Size: a.Vector.SizeInBytes + 8}}
			}
		}
		out = append(out, f)
	}
	return out, ctx.Err()
}

// pathBelow is the path below the root of a file that the log names as a URL.
func (p *plan) pathBelow(root *listed.Root, written string) (string, error) {
	file, err := url.PathUnescape(written)
	if err != nil {
		return "", listed.Broken(path.Join(p.dir, logFolder), err)
	}
	return p.below(root, file)
}

func (p *plan) below(root *listed.Root, file string) (string, error) {
	if strings.HasPrefix(file, "/") || strings.Contains(file, ":/") {
		return root.Locate(file)
	}
	return listed.Below(p.dir, file)
}

// vectorFile is the path below the root of the file with a vector; empty if the log
// holds it.
func (p *plan) vectorFile(root *listed.Root, v *vector) (string, error) {
	file, err := v.file()
	switch {
	case err != nil || file == "":
		return "", err
	case v.StorageType == "p":
		return p.pathBelow(root, file)
	}
	return p.below(root, file)
}

// From implements listed.Plan: files with deleted rows are read apart from those
// without.
func (p *plan) From(ctx context.Context, r *listed.Request, files []listed.File, number string) (string, error) {
	if err := listed.Bring(r, files); err != nil {
		return "", err
	}
	var whole, part numbered
	for i, f := range files {
		to := &whole
		if f.Of.(*add).Vector != nil { //nolint:forcetypeassert // ours
			to = &part
		}
		to.files, to.numbers = append(to.files, f), append(to.numbers, fmt.Sprint(i))
	}
	var selects []string
	for _, of := range []numbered{whole, part} {
		if len(of.files) == 0 {
			continue
		}
		sql, err := p.read(ctx, r, of, number)
		if err != nil {
			return "", err
		}
		selects = append(selects, sql)
	}
	return "(" + strings.Join(selects, " UNION ALL ") + ")", nil
}

// numbered are some of the files that a scan reads, with their numbers.
type numbered struct {
	files   []listed.File
	numbers []string
}

// read selects the live rows of files that all have a vector, or none.
func (p *plan) read(ctx context.Context, r *listed.Request, of numbered, number string) (string, error) {
	files := of.files
	paths := make([]string, len(files))
	var gone []listed.Gone
	for i, f := range files {
		var err error
		if paths[i], err = r.Link(f.Path, f.Size); err != nil {
			return "", err
		}
		v := f.Of.(*add).Vector //nolint:forcetypeassert // ours
		if v == nil {
			continue
		}
		at, err := p.vectorFile(r.Root, v)
		if err != nil {
			return "", err
		}
		rows, err := v.rows(r.Root, at)
		if err != nil {
			return "", listed.Broken(f.Path, err)
		}
		gone = append(gone, listed.Gone{File: i, Rows: rows})
	}
	items, stored, err := p.items(files)
	if err != nil {
		return "", err
	}
	if number != "" {
		items += ", " + listed.PerFile("INTEGER", of.numbers) + " AS " + duckdb.Quote(number)
	}
	from := listed.ReadParquet(paths, stored)
	if gone == nil {
		return "SELECT " + items + " FROM " + from + " AS src", nil
	}
	list, err := r.LinkGone(ctx, gone)
	if err != nil {
		return "", err
	}
	return "SELECT " + items + " FROM " + listed.Without(from, list), nil
}

// items are the columns of the table, and those of the files that they come from.
func (p *plan) items(files []listed.File) (string, []listed.Stored, error) {
	var items []string
	var stored []listed.Stored
	for _, c := range p.columns {
		if c.partition {
			items = append(items, c.value(files)+" AS "+duckdb.Quote(c.Name))
			continue
		}
		named, expr := listed.Naming(listed.Logical), fmt.Sprintf("src.c%d", len(stored))
		if p.mapped() {
			named = physical
			expr, _ = c.Type.Renamed(expr, physical, nil)
		}
		if widened(c.Field) {
			expr = listed.Filtered(expr)
		}
		typ, err := c.Type.Engine(simple, named)
		if err != nil {
			return "", nil, err
		}
		key := duckdb.Literal(c.physical)
		if p.mode == "id" {
			if c.Metadata.ID == nil {
				return "", nil, listed.Broken(path.Join(p.dir, logFolder), fmt.Errorf("column %q has no id", c.Name))
			}
			key = fmt.Sprint(*c.Metadata.ID)
		}
		stored = append(stored, listed.Stored{Key: key, Type: typ})
		items = append(items, expr+" AS "+duckdb.Quote(c.Name))
	}
	return strings.Join(items, ", "), stored, nil
}

// value is the value of a partition column, which the files do not hold.
func (c *column) value(files []listed.File) string {
	literals := make([]string, len(files))
	for i, f := range files {
		literals[i] = "NULL"
		if text, ok := c.text(f.Of.(*add)); ok { //nolint:forcetypeassert // ours
			literals[i] = duckdb.Literal(text)
		}
	}
	value := listed.PerFile("VARCHAR", literals)
	if c.typ == "BLOB" {
		return "encode(" + value + ")"
	}
	return "CAST(" + value + " AS " + c.typ + ")"
}

// text is the value of a partition column in a file; false: NULL.
func (c *column) text(a *add) (string, bool) {
	text := a.PartitionValues[c.physical]
	if text == nil || *text == "" {
		return "", false
	}
	return *text, true
}
