package flightsql

import (
	"context"

	"github.com/agnes-data/da/source"
	statement "github.com/agnes-data/da/statement/postgres"
)

// provePostgres checks a statement and writes it anew from its tree, with a
// subquery in the place of each table. There is no catalog to ask what a name
// behind a dot means, so it must be a column's beyond doubt.
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
