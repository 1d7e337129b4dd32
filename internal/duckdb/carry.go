package duckdb

import (
	"context"
	"fmt"
	"strings"
)

// Carry returns a statement whose result is that of sql, one SELECT, with the
// columns cast that would not pass through Arrow and parquet unchanged, and the
// warnings about them; sql itself if there are none. Names that occur more than
// once stay as they are.
func (c *Conn) Carry(ctx context.Context, sql string) (carried string, warnings []string, err error) {
	cols, err := c.Describe(ctx, sql)
	if err != nil {
		return "", nil, err
	}
	// Columns are addressed by position: their own names need not be unique.
	numbered := make([]Column, len(cols))
	aliases := make([]string, len(cols))
	for i, col := range cols {
		numbered[i] = Column{Name: fmt.Sprintf("c%d", i), Type: col.Type}
		aliases[i] = numbered[i].Name
	}
	projected, err := Project(numbered)
	if err != nil {
		return "", nil, err
	}
	items := make([]string, len(cols))
	changed := false
	for i, p := range projected {
		items[i] = Quote(aliases[i])
		if p.Type != cols[i].Type {
			changed = true
			items[i] = fmt.Sprintf("CAST(%s AS %s)", items[i], p.Type)
		}
		items[i] += " AS " + Quote(cols[i].Name)
		if p.Warning != "" {
			warnings = append(warnings, strings.Replace(p.Warning, Quote(aliases[i]), Quote(cols[i].Name), 1))
		}
	}
	if !changed {
		return sql, nil, nil
	}
	return fmt.Sprintf("SELECT %s FROM (%s) AS result(%s)", strings.Join(items, ", "), sql, strings.Join(aliases, ", ")), warnings, nil
}
