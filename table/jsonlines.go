package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
)

// readLines is the engine's reader of JSON lines. Without columns it finds
// them out by looking at all lines.
func readLines(f *intake.File, columns []duckdb.Column) string {
	compression := "uncompressed"
	if f.Compression != "" {
		compression = f.Compression
	}
	how := "sample_size = -1"
	if len(columns) > 0 {
		parts := make([]string, len(columns))
		for i, c := range columns {
			parts[i] = duckdb.Literal(c.Name) + ": " + duckdb.Literal(c.Type)
		}
		how = "columns = {" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprintf("read_ndjson(%s, %s, maximum_object_size = 67108864, compression = '%s')", duckdb.PathLiteral(f.EnginePath()), how, compression)
}

// sqlTypes lists the columns of a file that the engine reads.
func sqlTypes(p *intake.Profile) []duckdb.Column {
	var out []duckdb.Column
	for _, c := range p.Columns {
		out = append(out, duckdb.Column{Name: c.Name, Type: c.SQL})
	}
	return out
}

// exactNumbers gives columns of floats a type that keeps all of their digits,
// if there is one: the engine takes every number beyond 64 bits, and every
// amount, for a float.
func exactNumbers(ctx context.Context, c *duckdb.Conn, f *intake.File, columns []duckdb.Column) ([]duckdb.Column, error) {
	out := append([]duckdb.Column(nil), columns...)
	asText := append([]duckdb.Column(nil), columns...)
	for i, col := range columns {
		if col.Type == "DOUBLE" {
			asText[i].Type = "VARCHAR"
		}
	}
	for i, col := range columns {
		if col.Type != "DOUBLE" {
			continue
		}
		var plain bool
		var whole, fraction int64
		q := duckdb.Quote(col.Name)
		sql := fmt.Sprintf(`SELECT coalesce(bool_and(regexp_full_match(%[1]s, '-?[0-9]+(\.[0-9]+)?')), false),
coalesce(max(length(ltrim(split_part(%[1]s, '.', 1), '-'))), 0), coalesce(max(length(rtrim(split_part(%[1]s, '.', 2), '0'))), 0) FROM %[2]s`,
			q, readLines(f, asText))
		if err := c.QueryRow(ctx, sql, nil, &plain, &whole, &fraction); err != nil {
			return nil, err
		}
		switch {
		case !plain:
		case fraction == 0 && whole <= 38:
			out[i].Type = "HUGEINT"
		case fraction <= 4 && whole+fraction <= 15:
			// With more digits the engine would take them by way of a float.
			out[i].Type = fmt.Sprintf("DECIMAL(18,%d)", fraction)
		}
	}
	return out, nil
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
