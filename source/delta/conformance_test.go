package delta

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
	load := func(t testing.TB, table sourcetest.Table) string {
		loaded++
		name := fmt.Sprintf("t%d", loaded)
		if err := opentables.WriteDelta(t.Context(), enginetest.Writer(t), filepath.Join(dir, name), table); err != nil {
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
			Source: src, Load: load, Missing: "no_such_table", Sampled: true, Lacks: opentables.DeltaLacks,
			Series: func(t testing.TB, rows int64) string {
				if series[rows] == "" {
					series[rows] = fmt.Sprintf("s%d", rows)
					if err := opentables.WriteDeltaSeries(t.Context(), enginetest.Writer(t), filepath.Join(dir, series[rows]), rows); err != nil {
						t.Fatal(err)
					}
				}
				return series[rows]
			},
			Without: []sourcetest.Ability{sourcetest.Asking, sourcetest.Mortality, sourcetest.Credentials, sourcetest.Patience},
		}
	})
}
