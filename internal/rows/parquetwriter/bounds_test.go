package parquetwriter_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetwriter"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// TestStatisticsAreTheBounds compares the statistics of a file with the least and
// the greatest value of each column. They are left out where a value is NaN, and for
// long texts; the engine does not show infinite ones.
func TestStatisticsAreTheBounds(t *testing.T) {
	conn := enginetest.Conn(t)
	path := filepath.Join(t.TempDir(), "written.parquet")
	for name, as := range shapes {
		whole := table(3, 700, as)
		if err := os.WriteFile(path, write(t, parquetwriter.Options{}, whole.Schema(), whole), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := conn.Import(t.Context(), "incoming", reader(t, whole.Schema(), whole), "CREATE OR REPLACE TABLE whole AS SELECT * FROM incoming"); err != nil {
			t.Fatal(err)
		}
		for i, typ := range types {
			// shown is what the engine shows of a bound.
			shown := func(bound string) string {
				switch typ.is.ID() {
				case arrow.FLOAT32, arrow.FLOAT64: // -0 is 0, too
					return fmt.Sprintf("CASE WHEN NOT bool_or(isnan(c%d)) AND isfinite(%[2]s) THEN %[2]s + 0.0 END", i, bound)
				case arrow.STRING:
					return fmt.Sprintf("CASE WHEN strlen(min(c%[1]d)) <= 256 AND strlen(max(c%[1]d)) <= 256 THEN %[2]s END", i, bound)
				}
				return bound
			}
			zero := ""
			if id := typ.is.ID(); id == arrow.FLOAT32 || id == arrow.FLOAT64 {
				zero = " + 0.0"
			}
			var said, want string
			err := conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT
				(SELECT concat_ws('|', stats_null_count, CAST(stats_min_value AS %[3]s)%[4]s, CAST(stats_max_value AS %[3]s)%[4]s) FROM parquet_metadata(%[1]s) WHERE path_in_schema = 'c%[2]d'),
				(SELECT concat_ws('|', count(*) - count(c%[2]d), %[5]s, %[6]s) FROM whole)`,
				duckdb.Literal(path), i, engineType(t, conn, i), zero, shown(fmt.Sprintf("min(c%d)", i)), shown(fmt.Sprintf("max(c%d)", i))), nil, &said, &want)
			if err != nil {
				t.Fatal(err)
			}
			if said != want {
				t.Errorf("%s: the statistics of %s say %s, and it has %s", name, typ.is, said, want)
			}
		}
	}
}

// engineType is the engine's type of a column of the table whole.
func engineType(t *testing.T, conn *duckdb.Conn, column int) string {
	t.Helper()
	cols, err := conn.Describe(t.Context(), fmt.Sprintf("SELECT c%d FROM whole", column))
	if err != nil {
		t.Fatal(err)
	}
	return cols[0].Type
}
