package lake

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/table/intake"
)

// maxTables limits the cached descriptions of tables, counted in files and
// columns.
const maxTables = 200_000

// table describes a relation at one version of its files. It is
// not changed once it is made.
type table struct {
	name    string // of the relation
	set     *fileSet
	columns []column // in table order
	// head and tail are the parts before and after the files in the call of the
	// table function. They set every option, so that reading depends on nothing
	// else.
	head, tail string
	// profiles say how each file of delimited text is written.
	profiles []*intake.Profile
	// stored are the columns in the files, as the engine reads them from JSON.
	stored  []duckdb.Column
	caveats []api.Caveat // about its files
	// layouts say how the parquet files store the columns; empty for other
	// formats.
	layouts []layout
	rows    *int64 // nil: unknown
	// texts say of each file of text or JSON what its rows are; nil: of parquet.
	texts []textFile
}

// textFile is what a file of text or JSON has for the table.
type textFile struct {
	rows int64
	// reading is another one if the same bytes would be read in another way, as
	// types and forms of dates depend on the other files of the table.
	reading string
}

// column is one column of a table.
type column struct {
	api.Column
	// hive is the index of the partition key that the column comes from; -1 if it
	// is stored in the files.
	hive int
	// replaces says that the partition key replaces a stored column of the same
	// name; only for delimited text.
	replaces bool
	// bytes is its stored size, compressed; only for parquet.
	bytes int64
	// travels says how it is selected, and width how many bytes a value then takes
	// in Arrow buffers; 0: that depends on the value.
	travels duckdb.Projected
	width   float64
	cut     bool // its nanoseconds are
}

// relation is what a statement reads: some of the table's files, valid as long as
// they are held. first is how many of the first rows are enough; 0: all are needed.
func (l *Lake) relation(ctx context.Context, h *hold, t *table, files []file, first int64) (string, error) {
	if t.set.format.Kind != format.Parquet {
		tw, err := l.copyOf(ctx, h, t, files, first)
		if err != nil {
			return "", err
		}
		return t.head + duckdb.PathLiteral(tw.path) + t.tail, nil
	}
	k, err := h.link(l, t.set, files)
	if err == nil && slices.ContainsFunc(t.columns, func(c column) bool { return duckdb.HasLists(c.Type) }) {
		err = l.checkLists(k, t.set, files)
	}
	if err != nil {
		return "", err
	}
	return t.head + k.list(files) + t.tail, nil
}

// checkLists checks the lists of linked files once.
func (l *Lake) checkLists(k *linked, set *fileSet, files []file) error {
	for _, f := range files {
		name := key(f.rel, set)
		if _, done := l.sound.Get(name); done {
			continue
		}
		if err := parquetfile.CheckListsOf(k.paths[f.rel]); err != nil {
			return sourceError(api.KindUnreadable, f.rel+" cannot be read: "+err.Error(), nil)
		}
		l.sound.Put(name, struct{}{}, 1)
	}
	return nil
}

func (t *table) column(name string) (*column, bool) {
	i := slices.IndexFunc(t.columns, func(c column) bool { return c.Name == name })
	if i < 0 {
		return nil, false
	}
	return &t.columns[i], true
}

// inParquet returns those of some columns that parquet files store.
func (t *table) inParquet(names []string) (stored []duckdb.Column) {
	if t.set.format.Kind != format.Parquet {
		return nil
	}
	for _, c := range t.columns {
		if c.hive < 0 && slices.Contains(names, c.Name) {
			stored = append(stored, duckdb.Column{Name: c.Name, Type: c.Type})
		}
	}
	return stored
}

// key names the table and its version in caches.
func key(name string, set *fileSet) string { return name + "\x00" + set.version }

// table describes the current files of a relation. The hold keeps the files that
// the description came from.
func (l *Lake) table(ctx context.Context, h *hold, rel source.Relation) (*table, error) {
	name := rel.Name
	set, err := l.version(ctx, rel)
	if err != nil {
		return nil, err
	}
	// Text must be read completely to be described, parquet only at its end.
	if err := h.bring(ctx, set.files, set.format.Kind != format.Parquet); err != nil {
		return nil, err
	}
	k := key(name, set)
	if t, ok := l.tables.Get(k); ok {
		return t, nil
	}
	return l.describing.do(ctx, k, func(ctx context.Context) (*table, error) {
		t, err := l.describeKnown(ctx, k, set)
		if err != nil {
			return nil, l.unfit(ctx, &table{set: set}, err)
		}
		t.name = name
		l.tables.Put(k, t, len(set.files)+len(t.columns))
		return t, nil
	})
}

// describe reads the columns and types from the files. For parquet files it returns
// their footer, too, unless it is too large to be remembered.
func (l *Lake) describe(ctx context.Context, set *fileSet) (t *table, f *footer, err error) {
	if keys, _ := hiveParts(strings.TrimPrefix(l.links, "/") + "/x"); len(keys) > 0 && len(set.keys) > 0 {
		// The engine would take these folders for partitions too.
		return nil, nil, badPath(set.files[0].rel, "the folder of temporary files lies inside a partition itself")
	}
	s, err := l.engines.Session(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	defer func() { s.Done(err == nil) }()
	if set.reading != nil && set.format.Kind != format.Text {
		return nil, nil, &api.Error{Code: api.CodeConfig, Message: set.files[0].rel + " " + noReading}
	}
	switch set.format.Kind {
	case format.Parquet:
		t, f, err = l.describeParquet(ctx, s, set)
	case format.JSON:
		t, err = l.describeJSON(ctx, s, set)
	default:
		t, err = l.describeDelimited(ctx, set)
	}
	if err != nil {
		return nil, nil, err
	}
	return t, f, l.project(ctx, s, t)
}

// project determines how the columns of tables are transported, and as which types.
func (l *Lake) project(ctx context.Context, s *embedded.Session, tables ...*table) error {
	for _, t := range tables {
		cols := make([]duckdb.Column, len(t.columns))
		for i, c := range t.columns {
			cols[i] = duckdb.Column{Name: c.Name, Type: c.Type}
		}
		projected, err := duckdb.Project(cols)
		if err != nil {
			return err
		}
		for i := range t.columns {
			t.columns[i].travels = projected[i]
		}
	}
	var types []string
	for _, t := range tables {
		for _, c := range t.columns {
			types = append(types, c.Type)
		}
	}
	widths, err := l.engines.Widths(ctx, s, types)
	if err != nil {
		return err
	}
	for _, t := range tables {
		for i := range t.columns {
			t.columns[i].width = widths[t.columns[i].Type]
		}
	}
	return nil
}

// described asks the engine for the columns of a table function.
func described(ctx context.Context, s *embedded.Session, from string) ([]api.Column, error) {
	list, err := s.Describe(ctx, "SELECT * FROM "+from)
	cols := make([]api.Column, len(list))
	for i, c := range list {
		cols[i] = api.Column{Name: c.Name, Type: c.Type, Nullable: true, Fields: embedded.FieldsOf(c.Type)}
	}
	return cols, err
}

// describedEach asks the engine for the columns of several table functions at
// once: each row of them is a struct then.
func describedEach(ctx context.Context, s *embedded.Session, from []string) ([][]api.Column, error) {
	if len(from) == 1 {
		cols, err := described(ctx, s, from[0])
		return [][]api.Column{cols}, err
	}
	name := "row" + rand.Text() // which no file can have as the name of a column
	rows, named := make([]string, len(from)), make([]string, len(from))
	for i, f := range from {
		rows[i] = fmt.Sprintf("%s_%d", name, i)
		named[i] = f + " AS " + rows[i]
	}
	list, err := s.Describe(ctx, "SELECT "+strings.Join(rows, ", ")+" FROM "+strings.Join(named, ", "))
	out := make([][]api.Column, len(list))
	for i, c := range list {
		out[i] = embedded.FieldsOf(c.Type)
	}
	return out, err
}

// withHive marks the columns that are partition keys, and checks that the
// engine sees the same keys as we do.
func withHive(set *fileSet, cols []api.Column) ([]column, error) {
	out := make([]column, len(cols))
	found := 0
	for i, c := range cols {
		out[i] = column{Column: c, hive: slices.Index(set.keys, c.Name)}
		if out[i].hive >= 0 {
			found++
			out[i].Description = "partition column"
			out[i].Nullable = slices.ContainsFunc(set.files, func(f file) bool {
				_, ok := hiveValue(f.hive[out[i].hive])
				return !ok
			})
		}
	}
	if found != len(set.keys) {
		return nil, differOnlyInCase(set)
	}
	return out, nil
}

func differOnlyInCase(set *fileSet) error {
	return badPath(set.files[0].rel, "its partition keys and its columns have names that differ only in case")
}

// hiveOptions sets the partition columns and their types, or turns partitions
// off.
func hiveOptions(set *fileSet) string {
	if len(set.keys) == 0 {
		return ", hive_partitioning = false"
	}
	list := make([]string, len(set.keys))
	for i, key := range set.keys {
		list[i] = duckdb.Literal(key) + ": " + set.types[i]
	}
	return ", hive_partitioning = true, hive_types = {" + strings.Join(list, ", ") + "}"
}

// Schema describes the relation, reduced to what the caller can see.
func (l *Lake) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	t, err := held(l, func(h *hold) (*table, error) { return l.table(ctx, h, rel) })
	if err != nil {
		return nil, err
	}
	stored := int64(0)
	out := &source.Schema{Format: t.set.format.Name, Version: t.set.version, PartitionBy: t.set.keys, RowCount: t.rows, SizeBytes: &stored,
		Caveats: t.caveats}
	for _, c := range t.columns {
		if !rel.Whole() { // hidden rows may prove the order, so it would tell of them
			c.DateOrder, c.DateGuessed = "", false
		}
		out.Columns = append(out.Columns, c.Column)
		if rel.Sees(c.Name) {
			stored += c.bytes
		}
	}
	if t.set.format.Kind != format.Parquet {
		stored = t.set.bytes
	}
	return out.Of(rel), nil
}
