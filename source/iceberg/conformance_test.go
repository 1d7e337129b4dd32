package iceberg

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/source/listed"
)

func TestConformance(t *testing.T) {
	dir, loaded, series := t.TempDir(), 0, map[int64]string{}
	load := func(t testing.TB, table sourcetest.Table, rows string) string {
		loaded++
		name := fmt.Sprintf("t%d", loaded)
		if err := opentables.WriteIceberg(t.Context(), enginetest.Writer(t), filepath.Join(dir, name), table, rows); err != nil {
			t.Fatal(err)
		}
		return name
	}
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		src, err := Open(listed.Options{Root: dir, TempDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return sourcetest.Fixture{
			Source: src, Missing: "no_such_table", Sampled: true, Lacks: opentables.IcebergLacks,
			Load: func(t testing.TB, table sourcetest.Table) string { return load(t, table, "") },
			Series: func(t testing.TB, rows int64) string {
				if series[rows] == "" {
					columns := []sourcetest.Column{{Name: "n", Kind: sourcetest.Int}, {Name: "pad", Kind: sourcetest.Text}}
					series[rows] = load(t, sourcetest.Table{Columns: columns}, opentables.Series(rows))
				}
				return series[rows]
			},
			// Partitions of tables that Spark wrote are tested with their answers.
			Without: []sourcetest.Ability{sourcetest.Partitions, sourcetest.Asking, sourcetest.Mortality, sourcetest.Credentials, sourcetest.Patience},
		}
	})
}
