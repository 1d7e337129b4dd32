package table

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/cachedb"
	"github.com/agnes-data/da/table/intake"
)

// session is an in-memory engine that sees some files as tables, and nothing
// else.
type session struct {
	db    *duckdb.DB
	conn  *duckdb.Conn
	files map[string]*looked
}

// limits bound a session.
type limits struct {
	memory   string
	temp     string // a folder for what is too much for memory; empty: none
	threads  int
	settings map[string]string // of the engine besides, as a statement needs them
}

// session opens an engine with a view for each file; it can write to dirs. With
// one thread, floats are always added in the same order, so answers are
// repeatable.
func (t *Tables) session(ctx context.Context, files map[string]*looked, l limits, dirs ...string) (*session, error) {
	if l.memory == "" {
		l.memory = DefaultMemory
	}
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: l.memory, TempDir: l.temp, Threads: l.threads, PreserveOrder: true,
		Settings: l.settings})
	if err != nil {
		return nil, err
	}
	s := &session{db: db, files: files}
	if s.conn, err = db.Conn(); err == nil {
		err = t.attach(ctx, s)
	}
	if err == nil {
		err = s.conn.Lockdown(ctx, dirs)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the engine.
func (s *session) Close() {
	if s.conn != nil {
		_ = s.conn.Close()
	}
	_ = s.db.Close()
}

// attach creates the views, ordered by name.
func (t *Tables) attach(ctx context.Context, s *session) error {
	names := make([]string, 0, len(s.files))
	for n := range s.files {
		names = append(names, n)
	}
	sort.Strings(names)
	var paths []string
	for i, name := range names {
		l := s.files[name]
		if !l.inPart() {
			l.reads = nil
		}
		from := relation(l, fmt.Sprintf("f%d", i))
		if l.file.Kind == format.Parquet {
			path := l.file.EnginePath()
			paths = append(paths, duckdb.Literal(path), duckdb.PathLiteral(path))
			from = duckdb.RowByRow(from, columns(l.profile()), nil)
		} else if err := t.attachDatabase(ctx, s, l, fmt.Sprintf("f%d", i)); err != nil {
			return err
		}
		if err := s.conn.Exec(ctx, fmt.Sprintf("CREATE VIEW %s AS SELECT * FROM %s", duckdb.Quote(name), from)); err != nil {
			return t.explain(l.shown, err)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return s.conn.Exec(ctx, "SET allowed_paths = ["+strings.Join(paths, ", ")+"]")
}

// columns returns the columns as the engine reads them.
func columns(p *intake.Profile) (columns []duckdb.Column) {
	for _, c := range p.Columns {
		columns = append(columns, duckdb.Column{Name: c.Name, Type: c.SQL})
	}
	return columns
}

// relation is the name of a file's rows inside a session.
func relation(l *looked, alias string) string {
	if l.file.Kind == format.Parquet {
		return "read_parquet(" + duckdb.PathLiteral(l.file.EnginePath()) + ")"
	}
	if l.reads != nil && l.direct {
		return alias
	}
	return alias + ".main." + cachedb.Table
}

func (t *Tables) attachDatabase(ctx context.Context, s *session, l *looked, alias string) error {
	attach := func(path string) error {
		return s.conn.Exec(ctx, fmt.Sprintf("ATTACH %s AS %s (READ_ONLY)", duckdb.Literal(path), alias))
	}
	switch {
	case l.reads != nil && l.direct:
		return t.show(ctx, s, l, alias)
	case l.reads != nil:
		return t.attachPart(ctx, l, attach)
	}
	if n := len(l.profile().Columns); n > intake.EngineColumns {
		return tooManyColumns(l.shown, n)
	}
	var last error
	for range 3 { // another process may evict it between the two steps
		path, e, err := t.store.Database(ctx, l.src, l.file, t.builder(l))
		if err != nil {
			return t.explain(l.shown, err)
		}
		l.entry = e
		if last = attach(path); last == nil {
			return nil
		}
	}
	return t.explain(l.shown, last)
}

// builder fills the database of a file.
func (t *Tables) builder(l *looked) cachedb.Builder {
	return func(ctx context.Context, c *duckdb.Conn, e *cachedb.Entry) error {
		p := e.Profile
		if l.reads != nil {
			p = p.Only(l.reads)
		}
		if len(p.Columns) == 0 {
			return c.Exec(ctx, "CREATE TABLE "+cachedb.Table+" (empty VARCHAR)")
		}
		if l.file.Kind == format.JSON {
			lines, err := l.file.JSONLines(ctx, t.store.Dir())
			if err != nil {
				return err
			}
			return c.Exec(ctx, "CREATE TABLE "+cachedb.Table+" AS "+rowsOfLines(linesOf(lines), p))
		}
		rows, err := t.rowsOf(ctx, l.file, p)
		if err != nil {
			return err
		}
		defer rows.Release()
		return c.Import(ctx, "incoming", rows, "CREATE TABLE "+cachedb.Table+" AS SELECT "+columnList(p)+" FROM incoming")
	}
}

// rowsOf starts reading the rows of a file that the engine cannot read itself.
func (t *Tables) rowsOf(ctx context.Context, f *intake.File, p *intake.Profile) (array.RecordReader, error) {
	if f.Kind == format.Arrow {
		rows, _, err := f.Arrow()
		return rows, err
	}
	if f.Kind == format.DuckDB || f.Kind == format.SQLite {
		return t.database(ctx, f, p.Sheet)
	}
	return f.Load(ctx, p)
}
