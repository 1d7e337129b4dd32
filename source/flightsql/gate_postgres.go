package flightsql

import (
	"context"

	"github.com/agnes-data/da/source"
	statement "github.com/agnes-data/da/statement/postgres"
)

// provePostgres checks a statement and prints it again from its tree, with a
// subquery in place of each table. No catalog says what a name after a dot means,
// so statements are accepted only if it must be a column.
func provePostgres(_ context.Context, sql string) (proven, error) {
	s, err := statement.Check(sql)
	if err != nil {
		return proven{}, err
	}
	return proven{
		Statement: source.Statement{Tables: s.Tables, Columns: s.Reads, Whole: s.Whole},
		over: func(tables []bound) (string, string, error) {
			columns, inPlace := map[string][]string{}, map[string]statement.Table{}
			for _, t := range tables {
				columns[t.name] = t.columns
				table := statement.Table{From: t.rows, Attributes: t.columns}
				for i, part := range []*string{&table.Name, &table.Schema, &table.Catalog} {
					if at := len(t.full) - 1 - i; at >= 0 {
						*part = t.full[at]
					}
				}
				inPlace[t.name] = table
			}
			if err := s.Prove(columns); err != nil {
				return "", "", err
			}
			written, err := s.Rewrite(inPlace)
			return "", written, err
		},
	}, nil
}
