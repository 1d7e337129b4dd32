package postgres

import (
	"testing"

	"github.com/agnes-data/da/source"
)

// rowsOf makes a table of ten columns of the kinds that tables mostly have.
func rowsOf(t testing.TB, d *database, rows string) source.Scan {
	d.exec(t, `CREATE TABLE big AS SELECT i AS id, (i % 1000)::int AS n, (i % 7)::smallint AS small, (i % 100000 / 7.0)::numeric(12,2) AS price, i / 3.0::float8 AS ratio,
		md5(i::text) AS name, 'code' || i % 50 AS code, DATE '2001-01-01' + (i % 3650)::int AS day, TIMESTAMPTZ '2001-01-01' + i * INTERVAL '1 second' AS at,
		i % 3 = 0 AS ok FROM generate_series(1, `+rows+`) AS i`)
	return source.Scan{Relation: source.Relation{Name: "big"}, Select: []string{"id", "n", "small", "price", "ratio", "name", "code", "day", "at", "ok"}}
}

// wideOf is such a table for what happens while batches wait to be taken: of its
// rows, of a kilobyte each, few fill one.
func wideOf(t testing.TB, d *database, rows string) source.Scan {
	d.exec(t, `CREATE TABLE big AS SELECT i AS id, repeat('x', 1000) AS pad FROM generate_series(1, `+rows+`) AS i`)
	return source.Scan{Relation: source.Relation{Name: "big"}, Select: []string{"id", "pad"}}
}

func scanned(t testing.TB, d *database, scan source.Scan) (rows int64) {
	r, err := d.source.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return rows
}

// TestRowsAllocateNothing holds that what is allocated grows with batches, not
// with rows.
func TestRowsAllocateNothing(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	scan := rowsOf(t, d, "100000")
	per := testing.AllocsPerRun(3, func() {
		if n := scanned(t, d, scan); n != 100_000 {
			t.Errorf("%d rows", n)
		}
	})
	if per > 100_000/10 {
		t.Errorf("%.0f allocations for 100,000 rows", per)
	}
	t.Logf("%.0f allocations for 100,000 rows", per)
}

func BenchmarkScan(b *testing.B) {
	d := newDatabase(b)
	b.Cleanup(func() { d.source.Close() })
	scan := rowsOf(b, d, "500000")
	b.ReportAllocs()
	for b.Loop() {
		scanned(b, d, scan)
	}
}
