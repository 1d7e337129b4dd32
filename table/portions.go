package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/intake"
)

const (
	wide          = 200        // columns from which on a table is read in portions
	portionColumn = 200        // columns of a portion, at most
	portionValues = 20_000_000 // maximum number of values in a portion, because they are held in memory
	leastPortion  = 20         // columns below which portions are not worth their copying
)

// portion is the name of the relation with one portion.
const portion = "portion"

// portions calls f for a few columns of a file at a time, with the name of a
// relation that has them. The engine takes long to bind a statement to a table
// with thousands of columns, so one statement per column would take quadratic
// time. The columns of a wide table are therefore copied first.
func (s *session) portions(ctx context.Context, l *looked, columns []intake.Column, f func(columns []intake.Column, data string) error) error {
	from := relation(l, "f0")
	p := l.profile()
	most := portionColumn
	if p.Rows > 0 {
		most = int(min(portionColumn, portionValues/p.Rows))
	}
	if len(p.Columns) <= wide || most < leastPortion {
		return f(columns, from)
	}
	for len(columns) > 0 {
		some := columns[:min(most, len(columns))]
		columns = columns[len(some):]
		names := make([]string, len(some))
		for i, c := range some {
			names[i] = duckdb.Quote(c.Name)
		}
		if err := s.conn.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT %s FROM %s", portion, strings.Join(names, ", "), from)); err != nil {
			return err
		}
		if err := f(some, portion); err != nil {
			return err
		}
	}
	return nil
}
