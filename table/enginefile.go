package table

import (
	"context"
	"strings"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/intake"
)

// profile reads a file once: text and sheets by ourselves, the rest by the
// engine, whose files say their types.
func (t *Tables) profile(ctx context.Context, f *intake.File, o intake.Options) (*intake.Profile, error) {
	var from string
	switch f.Kind {
	case intake.Parquet:
		from = "read_parquet(" + duckdb.PathLiteral(f.EnginePath()) + ")"
	case intake.JSONLines:
		from = readLines(f, nil)
	default:
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
	columns, err := c.Describe(ctx, "SELECT * FROM "+from)
	if err != nil {
		return nil, t.explain(f.Path, err)
	}
	if f.Kind == intake.JSONLines {
		if columns, err = exactNumbers(ctx, c, f, columns); err != nil {
			return nil, t.explain(f.Path, err)
		}
		from = readLines(f, columns)
	}
	counts := []string{"count(*)"}
	for _, col := range columns {
		counts = append(counts, "count("+duckdb.Quote(col.Name)+")")
		p.Columns = append(p.Columns, columnOf(col))
	}
	values := make([]int64, len(counts))
	dest := make([]any, len(counts))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := c.QueryRow(ctx, "SELECT "+strings.Join(counts, ", ")+" FROM "+from, nil, dest...); err != nil {
		return nil, t.explain(f.Path, err)
	}
	p.Rows = values[0]
	for i := range p.Columns {
		p.Columns[i].NonNull, p.Columns[i].Nulls = values[i+1], values[0]-values[i+1]
	}
	return p, nil
}
