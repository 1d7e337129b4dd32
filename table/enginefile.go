package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
)

// profile reads a file once: text and sheets by ourselves, the rest by the
// engine, whose files say their types.
func (t *Tables) profile(ctx context.Context, f *intake.File, o intake.Options) (*intake.Profile, error) {
	var from string
	switch f.Kind {
	case intake.Parquet:
		from = "read_parquet(" + duckdb.PathLiteral(f.Path) + ")"
	case intake.JSONLines:
		from = readLines(f)
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
	counts := []string{"count(*)"}
	for _, col := range columns {
		counts = append(counts, "count("+duckdb.Quote(col.Name)+")")
		d := infer.Decision{Type: infer.Type(typeName(col.Type))}
		p.Columns = append(p.Columns, intake.Column{Name: col.Name, SQL: col.Type, Decision: d})
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

// readLines is the engine's reader of JSON lines, looking at all of them.
func readLines(f *intake.File) string {
	compression := "uncompressed"
	if f.Compression != "" {
		compression = f.Compression
	}
	return fmt.Sprintf("read_ndjson(%s, sample_size = -1, maximum_object_size = 67108864, compression = '%s')", duckdb.Literal(f.Path), compression)
}

// typeName puts the engine's type in the words of the contract.
func typeName(sql string) string {
	base, _, _ := strings.Cut(strings.ToUpper(sql), "(")
	switch base = strings.TrimSpace(base); {
	case strings.HasSuffix(sql, "]"):
		return "list"
	case base == "STRUCT" || base == "MAP" || base == "UNION":
		return "struct"
	case strings.HasSuffix(base, "INT") || base == "INTEGER" || base == "UINTEGER" || base == "BIGNUM":
		return "integer"
	case base == "DECIMAL":
		return "decimal"
	case base == "DOUBLE" || base == "FLOAT":
		return "float"
	case base == "BOOLEAN":
		return "boolean"
	case base == "DATE":
		return "date"
	case base == "TIMESTAMP WITH TIME ZONE":
		return "timestamptz"
	case strings.HasPrefix(base, "TIMESTAMP"):
		return "timestamp"
	case strings.HasPrefix(base, "TIME"):
		return "time"
	case base == "JSON":
		return "json"
	case base == "BLOB":
		return "blob"
	}
	return "string"
}
