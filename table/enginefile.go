package table

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/table/jsonlines"
	"github.com/agnes-data/da/table/jsonrows"
)

// profile reads a file once: text and sheets with our own readers, and the
// others, whose files have types, with the engine.
func (t *Tables) profile(ctx context.Context, f *intake.File, o intake.Options) (*intake.Profile, error) {
	if err := o.Fit(f.Kind); err != nil {
		return nil, err
	}
	if f.Ours() {
		return f.Profile(ctx, o)
	}
	p := &intake.Profile{Kind: f.Kind, Format: string(f.Kind), Compression: f.Compression}
	var err error
	if p.Hash, err = f.Hash(ctx); err != nil {
		return nil, err
	}
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: DefaultMemory, PreserveOrder: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	c, err := db.Conn()
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	switch f.Kind {
	case format.JSON:
		if err = t.profileJSON(ctx, c, f, p, o); duckdb.IsOfRows(err) {
			if fault := f.FindFault(ctx); fault != nil {
				err = fault
			}
		}
	case format.Arrow:
		err = profileArrowFile(ctx, c, f, p)
	case format.DuckDB, format.SQLite:
		err = t.profileDatabase(ctx, c, f, p, o)
	default:
		from := "read_parquet(" + duckdb.PathLiteral(f.EnginePath()) + ")"
		if err = c.ReadsDecimals(ctx, f.EnginePath()); err != nil {
			return nil, err
		}
		if err = parquetfile.CheckLists(f.At(), f.Info.Size()); err != nil {
			return nil, err
		}
		var columns []duckdb.Column
		if columns, err = c.Describe(ctx, "SELECT * FROM "+from); err != nil {
			return nil, err
		}
		for _, column := range columns {
			if err = duckdb.FewLists(column.Name, column.Type); err != nil {
				return nil, err
			}
		}
		if err = takeCounts(ctx, c, p, columns, countAll(columns, from)); err != nil {
			return nil, err
		}
		p.Told = f.Tagged()
		var stored []duckdb.StoredColumn
		stored, err = c.StoredColumns(ctx, f.EnginePath())
		for i, s := range stored {
			p.Columns[i].Cut = s.Cut
			is := p.Columns[i].Name
			if is != s.Name {
				p.Renamed = append(p.Renamed, intake.Rename{Index: i, From: s.Name, To: is})
			}
			for _, field := range s.Again {
				p.Told = append(p.Told, duckdb.FieldRenamed(is, field))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (t *Tables) profileJSON(ctx context.Context, c *duckdb.Conn, f *intake.File, p *intake.Profile, o intake.Options) error {
	p.Format = string(f.Layout)
	l, err := f.JSONLines(ctx, t.store.Dir())
	if err != nil {
		return err
	}
	p.Passed, p.Numbers = l.Passed, l.Numbers
	p.Inferred = l.Rows == 1 && f.Layout == jsonrows.Lines && strings.EqualFold(filepath.Ext(f.Path), ".json")
	if l.Rows == 0 {
		return nil // the engine would make a column from nothing
	}
	lines := linesOf(l)
	columns, mixed, err := lines.Columns(ctx, c)
	if err != nil {
		return err
	}
	if err := takeCounts(ctx, c, p, columns, countAll(columns, lines.SQL(columns, ""))); err != nil {
		return err
	}
	if err := retype(ctx, c, p, o, lines); err != nil {
		return err
	}
	return FindNear(ctx, c, p, lines, mixed)
}

// linesOf are the rows of a JSON file, for the engine.
func linesOf(l *intake.JSONLines) jsonlines.Lines {
	return jsonlines.Lines{From: duckdb.PathLiteral(l.Path), Compression: l.Compression, Longest: l.Longest, Beyond: l.Numbers.Beyond}
}

// sqlTypes lists the columns of a file that the engine reads.
func sqlTypes(p *intake.Profile) []duckdb.Column {
	var out []duckdb.Column
	for _, c := range p.Columns {
		out = append(out, duckdb.Column{Name: c.Name, Type: c.SQL})
	}
	return out
}

// profileArrow profiles rows in Arrow's memory, which the engine has no reader for.
func profileArrow(ctx context.Context, c *duckdb.Conn, rows array.RecordReader, p *intake.Profile) error {
	none, err := array.NewRecordReader(rows.Schema(), nil)
	if err != nil {
		return err
	}
	defer none.Release()
	if err := c.Import(ctx, "incoming", none, "CREATE TEMP TABLE shape AS SELECT * FROM incoming"); err != nil {
		return err
	}
	columns, err := c.Describe(ctx, "SELECT * FROM shape")
	if err != nil {
		return err
	}
	if err := c.Import(ctx, "incoming", rows, "CREATE TEMP TABLE counted AS "+countAll(columns, "incoming")); err != nil {
		return err
	}
	if err := takeCounts(ctx, c, p, columns, "SELECT * FROM counted"); err != nil {
		return err
	}
	for i, field := range rows.Schema().Fields() {
		p.Columns[i].Cut = duckdb.ArrowCutsNanos(field.Type)
	}
	return nil
}

func profileArrowFile(ctx context.Context, c *duckdb.Conn, f *intake.File, p *intake.Profile) error {
	rows, renamed, err := f.Arrow()
	if err != nil {
		return err
	}
	defer rows.Release()
	p.Renamed = renamed
	err = profileArrow(ctx, c, rows, p)
	p.Told = rows.Caveats() // some come with the last row
	return err
}

func (t *Tables) profileDatabase(ctx context.Context, c *duckdb.Conn, f *intake.File, p *intake.Profile, o intake.Options) error {
	rows, err := t.database(ctx, f, o.Sheet)
	if err != nil {
		return err
	}
	defer rows.Release()
	p.Sheet, p.Sheets, p.Told = rows.name, rows.names, rows.told
	return profileArrow(ctx, c, rows, p)
}

// countAll counts the rows of a relation, and the values of each column.
func countAll(columns []duckdb.Column, from string) string {
	counts := []string{"count(*)"}
	for _, col := range columns {
		counts = append(counts, "count("+duckdb.Quote(col.Name)+")")
	}
	return "SELECT " + strings.Join(counts, ", ") + " FROM " + from
}

// takeCounts adds the columns, and the counts of countAll, to the profile.
func takeCounts(ctx context.Context, c *duckdb.Conn, p *intake.Profile, columns []duckdb.Column, sql string) error {
	values := make([]int64, len(columns)+1)
	dest := make([]any, len(values))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := c.QueryRow(ctx, sql, nil, dest...); err != nil {
		return err
	}
	p.Rows = values[0]
	for i, col := range columns {
		p.Columns = append(p.Columns, columnOf(col))
		p.Columns[i].NonNull, p.Columns[i].Nulls = values[i+1], values[0]-values[i+1]
	}
	return nil
}

// columnOf describes a column that the engine reads.
func columnOf(c duckdb.Column) intake.Column {
	d := infer.Decision{Type: infer.Type(typeName(c.Type))}
	if c.Type == "HUGEINT" {
		d.Precision = 38
	}
	if d.Type == infer.Decimal {
		_, _ = fmt.Sscanf(c.Type, "DECIMAL(%d,%d)", &d.Precision, &d.Scale) // the engine's own spelling
	}
	return intake.Column{Name: c.Name, SQL: c.Type, Decision: d}
}
