package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
)

// part is the name of the cached answer where a statement has read only some columns of
// a file.
const part = "part"

const (
	// small is how many bytes of a file are read as quickly with all columns.
	small = 1 << 20
	// mostScans is how often a statement can scan columns before it is cheaper to
	// build a database of them.
	mostScans = 3
	// widest is the maximum number of columns for which a database is built for
	// later statements. The engine's time for a table grows with the square of
	// that number, and each column needs memory.
	widest = 2000
)

// tooManyColumns is the error for a request that would need all columns of a very
// wide file at once.
func tooManyColumns(shown string, n int) error {
	return &api.Error{
		Code: api.CodeValidation, Kind: api.KindTooWide,
		Message: fmt.Sprintf("%s has %d columns; at most %d can be read at once", shown, n, intake.EngineColumns),
		Hint:    "Name the columns that you need.", Details: map[string]any{"columns": n, "max_columns": intake.EngineColumns},
	}
}

// only has the columns alone read, if the file has very many.
func (l *looked) only(columns []intake.Column) {
	if len(l.profile().Columns) > widest {
		l.read(columns)
	}
}

// pass has the columns read into a database that is not kept, unless there is one.
func (l *looked) pass(columns []intake.Column) {
	l.read(columns)
	l.passing = true
}

func (l *looked) read(columns []intake.Column) {
	l.reads = []string{}
	for _, c := range columns {
		l.reads = append(l.reads, c.Name)
	}
}

// inPart reports whether to load only the columns that the statement names. This
// is also the case for the first statement: the second one builds a database of
// all columns, and later ones are cheap.
func (l *looked) inPart() bool {
	if l.reads == nil || l.file.Kind == format.Parquet || l.entry.Head.Database != "" {
		return false
	}
	if l.passing {
		return true
	}
	p := l.profile()
	if 2*len(p.Only(l.reads).Columns) > len(p.Columns) {
		return false
	}
	_, again := l.entry.Answers[part]
	return len(p.Columns) > widest || !again && l.file.Info.Size() > small
}

// show has the engine read the columns from the file itself, each time that a
// statement scans them.
func (t *Tables) show(ctx context.Context, s *session, l *looked, alias string) error {
	p := l.profile().Only(l.reads)
	own := alias + "_rows"
	err := s.conn.Show(ctx, own, p.Schema(), func(ctx context.Context) (array.RecordReader, error) {
		rows, err := l.file.Load(ctx, p)
		if err != nil {
			return nil, t.explain(l.shown, err)
		}
		return explained{rows, func(err error) error { return t.explain(l.shown, err) }}, nil
	})
	if err == nil {
		err = s.conn.Exec(ctx, "CREATE TEMP VIEW "+alias+" AS SELECT "+columnList(p)+" FROM "+own)
	}
	if err == nil {
		t.store.Remember(ctx, l.src, l.entry.Head.Hash, part, true)
	}
	return err
}

// columnList selects all columns, in the types that they have in a database.
func columnList(p *intake.Profile) string {
	items := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		items[i] = duckdb.Quote(c.Name)
		if c.Type == infer.Integer && c.Precision > 18 {
			items[i] = fmt.Sprintf("CAST(%s AS HUGEINT) AS %[1]s", items[i])
		}
	}
	return strings.Join(items, ", ")
}

// attachPart builds a database of the columns that are read, for this session.
func (t *Tables) attachPart(ctx context.Context, l *looked, attach func(path string) error) error {
	e, err := t.store.Part(ctx, l.src, l.file, t.builder(l), attach)
	if err != nil {
		return t.explain(l.shown, err)
	}
	if l.entry = e; !l.passing {
		t.store.Remember(ctx, l.src, e.Head.Hash, part, true)
	}
	return nil
}
