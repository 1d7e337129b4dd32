package keep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/needs"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/snapshot"
)

// SchemaDiff is how the columns of a table differ from those of a snapshot, which was
// before.
type SchemaDiff struct {
	TableID  string       `json:"table_id"`
	Snapshot string       `json:"snapshot"`
	Columns  []ColumnDiff `json:"columns"` // never null
}

// DiffSchema compares the columns of a snapshot with those of a table. Types are those
// that fetched values have here. Of a snapshot that has chosen columns, others are not
// missing.
func DiffSchema(ctx context.Context, a *analyst.Analyst, table *api.TableSchema, name string) (*SchemaDiff, error) {
	meta, err := a.Store.Get(name)
	if err != nil {
		return nil, err
	}
	typed, err := predicate.NewSchema(predicate.Dialect(table.SQLFlavor), table.Columns)
	if err != nil {
		return nil, err
	}
	var after []snapshot.Column
	for _, f := range typed.Columns() {
		after = append(after, snapshot.Column{Name: f.Name, Type: needs.LocalType(f.Type)})
	}
	eng, err := a.OpenEngine(false)
	if err != nil {
		return nil, err
	}
	defer eng.Close()
	before := slices.Clone(meta.Schema)
	for _, columns := range [][]snapshot.Column{before, after} {
		if err := spellTypes(ctx, eng.Conn, columns); err != nil {
			return nil, err
		}
	}
	d := &SchemaDiff{TableID: table.TableID, Snapshot: name}
	d.Columns, _ = diffColumns(before, after)
	if len(meta.Select) > 0 {
		d.Columns = slices.DeleteFunc(d.Columns, func(c ColumnDiff) bool { return c.Before == "" })
	}
	return d, nil
}

// spellTypes writes the types as the engine does, and JSON as the text that it is in a
// file.
func spellTypes(ctx context.Context, conn *duckdb.Conn, columns []snapshot.Column) error {
	if len(columns) == 0 {
		return nil
	}
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = fmt.Sprintf("NULL::%s AS c%d", c.Type, i)
	}
	spelt, err := conn.Describe(ctx, "SELECT "+strings.Join(items, ", "))
	for i := range spelt {
		columns[i].Type = strings.ReplaceAll(spelt[i].Type, "JSON", "VARCHAR")
	}
	return err
}

// diffColumns returns the columns that one side lacks or that have other types, and the
// names of the others.
func diffColumns(before, after []snapshot.Column) (differ []ColumnDiff, common []string) {
	differ = []ColumnDiff{}
	types := map[string]string{}
	for _, col := range after {
		types[col.Name] = col.Type
	}
	for _, col := range before {
		now := types[col.Name]
		delete(types, col.Name)
		if now == col.Type {
			common = append(common, col.Name)
			continue
		}
		differ = append(differ, ColumnDiff{col.Name, col.Type, now})
	}
	for _, col := range after {
		if t, added := types[col.Name]; added {
			differ = append(differ, ColumnDiff{Name: col.Name, After: t})
		}
	}
	return differ, common
}

// ColumnDiff is a column that only one snapshot has, or whose DuckDB type
// differs.
type ColumnDiff struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"` // empty: it was added
	After  string `json:"after,omitempty"`  // empty: it was removed
}
