package lake

import (
	"fmt"
	"testing"

	"github.com/agnes-data/da/source/sourcetest"
)

func TestConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		f := newFolder(t)
		loaded := 0
		return sourcetest.Fixture{
			Source: f.lake,
			Load: func(t testing.TB, table sourcetest.Table) string {
				loaded++
				rel := fmt.Sprintf("t%d/data.parquet", loaded)
				f.copy(t, rel, sourcetest.DuckDB(table))
				return rel
			},
			Series: func(t testing.TB, rows int64) string {
				loaded++
				rel := fmt.Sprintf("t%d/data.parquet", loaded)
				f.copy(t, rel, fmt.Sprintf("SELECT range AS n, rpad('pad' || range, 100, 'x') AS pad FROM range(%d)", rows))
				return rel
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
