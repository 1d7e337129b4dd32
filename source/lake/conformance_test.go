package lake

import (
	"fmt"
	"testing"

	"github.com/agnes-data/da/internal/testing/sourcetest"
)

func TestConformance(t *testing.T) {
	dir, loaded, series := t.TempDir(), 0, map[int64]string{}
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		f := openFolder(t, dir, Options{})
		load := func(t testing.TB, query string) string {
			loaded++
			rel := fmt.Sprintf("t%d/data.parquet", loaded)
			f.copy(t, rel, query)
			return rel
		}
		return sourcetest.Fixture{
			Source: f.lake,
			Load:   func(t testing.TB, table sourcetest.Table) string { return load(t, sourcetest.DuckDB(table)) },
			Series: func(t testing.TB, rows int64) string {
				if series[rows] == "" {
					series[rows] = load(t, seriesOf(rows))
				}
				return series[rows]
			},
			Missing: "no_such_relation.parquet",
			// Parquet files of DuckDB's know no columns that are never NULL, see
			// TestNullability; partitions are folders, see TestHivePartitions. The engine
			// runs in this process.
			// Parquet files hold no negative spans of time.
			Lacks: []sourcetest.Kind{sourcetest.Interval},
			Without: []sourcetest.Ability{sourcetest.Nullability, sourcetest.Comments, sourcetest.Partitions, sourcetest.Asking,
				sourcetest.Mortality, sourcetest.Credentials, sourcetest.Patience},
		}
	})
}

// seriesOf makes the rows of a fixture's series.
func seriesOf(rows int64) string {
	return fmt.Sprintf("SELECT range AS n, rpad('pad' || range, 100, 'x') AS pad FROM range(%d)", rows)
}
