package fanout

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/analyst/keep"
)

// BenchmarkGuard prints the processor time of statements over two million rows, and of
// what the guard adds the first time, for right ones and wrong ones over snapshots.
func BenchmarkGuard(b *testing.B) {
	const rows = 2_000_000
	conn, dir := engine(b), b.TempDir()
	must := func(sql string) {
		if err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(sql, err)
		}
	}
	least := func(f func()) time.Duration {
		out := time.Hour
		for range 7 {
			before := processorTime(b)
			f()
			out = min(out, processorTime(b)-before)
		}
		return out
	}
	for _, key := range []string{"i", "i * 1000003", "(hash(i) >> 1)::BIGINT", "'K' || i"} {
		for _, per := range []int{1, 10, 40, 1000} {
			known := snapshots{}
			for table, sql := range map[string]string{
				"parent": fmt.Sprintf("SELECT %s AS id, (i %% 50)::INT AS amount, 'a' || (i %% 3) AS attr FROM range(%d) t(i)", key, rows/per),
				"child": fmt.Sprintf("SELECT %s AS of, (j %% 90)::INT AS quantity FROM (SELECT j, (hash(j) %% %d)::BIGINT AS i FROM range(%d) t(j))",
					key, rows/per, rows),
			} {
				file := filepath.Join(dir, table)
				must("COPY (" + sql + ") TO '" + file + "' (FORMAT PARQUET, PARQUET_VERSION V2)")
				must("CREATE OR REPLACE VIEW " + table + " AS FROM read_parquet('" + file + "')")
				m, err := keep.Describe(b.Context(), conn, file, nil)
				if err != nil {
					b.Fatal(err)
				}
				known[table] = Known{Columns: m.Columns(), Rows: m.Rows, Twice: m.Twice}
				for _, c := range m.Once {
					known.Put(table, []string{c})
				}
			}
			for _, sum := range []string{"quantity", "amount"} {
				sql := "SELECT attr, sum(" + sum + ") FROM child JOIN parent ON id = of GROUP BY 1"
				alone := least(func() { must("CREATE OR REPLACE TEMP TABLE x AS " + sql) })
				guard := least(func() {
					if _, err := Find(b.Context(), conn, sql, maps.Clone(known)); err != nil {
						b.Fatal(err)
					}
				})
				b.Logf("%-22s %4d rows a key, sum(%s): %v, the guard %v (%.1f %%)", key, per, sum, alone, guard, 100*float64(guard)/float64(alone))
			}
		}
	}
}

// snapshots are what is known of tables from their sidecars.
type snapshots map[string]Known

func (s snapshots) Known(table string) Known { return s[table] }

func (s snapshots) Put(table string, columns []string) {
	k := s[table]
	k.Once = append(slices.Clip(k.Once), columns)
	s[table] = k
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
