package keep

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/unique"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/snapshot"
)

const (
	mostApart  = 64      // possible integers for each row, for a set with a bit for each
	manyRows   = 1 << 14 // with more, a dictionary is only written where values repeat
	fewRows    = 1 << 16 // with so few, hashes take little time
	mostRows   = 1 << 20 // with so many, the hashes of a column take 8 MB
	mostHashed = 2       // columns of a table that are hashed
)

// wholeTypes are those of integers that BIGINT can represent.
var wholeTypes = []string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}

// columnSet looks at a column in which no value may occur twice.
type columnSet struct {
	name, item, typ string // the column, and the expression that the set gets
	set             unique.Set
	answer          unique.Answer
}

// setsOf returns sets for columns that may be keys: of integers, and a few others. To look at
// more would take too much of the time of a fetch. Columns with a dictionary are noted at once.
func setsOf(path string, meta *snapshot.Meta) (all []*columnSet) {
	footer, err := parquetfile.ReadFooter(path)
	if err != nil {
		return nil
	}
	left := mostHashed
	hashes := func() *unique.Hashes {
		if left--; left < 0 || footer.Rows > mostRows {
			return nil
		}
		return unique.HashesOf(footer.Rows)
	}
	for _, c := range meta.Schema {
		name := duckdb.Quote(c.Name)
		facts, flat := footer.Facts[c.Name]
		least, known := facts.Least.(int64)
		most, _ := facts.Most.(int64)
		whole := slices.Contains(wholeTypes, c.Type)
		switch {
		case !flat || facts.Nulls != 0:
		case footer.Dictionary(c.Name) && footer.Rows > manyRows:
			meta.Twice = append(meta.Twice, c.Name)
		case known && whole && uint64(most-least)/mostApart < uint64(footer.Rows):
			all = append(all, &columnSet{c.Name, name + "::BIGINT", "BIGINT", unique.NearOf(footer.Rows), unique.Once})
		case known && whole && footer.Rows > fewRows:
			all = append(all, &columnSet{c.Name, name + "::BIGINT", "BIGINT", unique.SpansOf(footer.Rows, least, most, hashes), unique.Once})
		case whole || c.Type == "VARCHAR" || c.Type == "UUID":
			if set := hashes(); set != nil {
				all = append(all, &columnSet{c.Name, "hash(" + name + ")", "UBIGINT", set, unique.Once})
			}
		}
	}
	return all
}

// readSets computes items of all rows, and passes the rows to the sets on the way.
func readSets(ctx context.Context, conn *duckdb.Conn, sets []*columnSet, meta *snapshot.Meta, items, from string, dest ...any) error {
	if len(sets) == 0 {
		return conn.QueryRow(ctx, "SELECT "+items+from, nil, dest...)
	}
	var types, shown []string
	for _, s := range sets {
		types, shown = append(types, "NULL::"+s.typ), append(shown, s.item)
	}
	_, err := conn.Tap(ctx, "SELECT "+strings.Join(types, ", "), func(put, _ string) string {
		return "SELECT coalesce(sum(" + put + "(" + strings.Join(shown, ", ") + ")), 0)::BIGINT, " + items + from
	}, func(rows arrow.RecordBatch) error {
		for i, s := range sets {
			if s.answer == unique.Once {
				s.answer = s.set.See(rows.Column(i))
			}
		}
		return nil
	}, dest...)
	for _, s := range sets {
		if s.answer == unique.Once {
			s.answer = s.set.End()
		}
		_, near := s.set.(*unique.Near)
		switch {
		case s.answer == unique.Once:
			meta.Once = append(meta.Once, s.name)
		case s.answer == unique.Twice && near: // two values may share a hash
			meta.Twice = append(meta.Twice, s.name)
		}
	}
	return err
}
