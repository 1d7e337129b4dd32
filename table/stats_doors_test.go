package table

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatsAreTheSameByEveryWay: out of the file, out of its database, and of a
// parquet file with the same rows, to the last byte.
func TestStatsAreTheSameByEveryWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	cells := []func() string{
		func() string { return fmt.Sprint(rng.IntN(2000) - 1000) },
		func() string { return fmt.Sprintf("%d%03d", rng.Int64(), rng.IntN(1000)) },
		func() string { return fmt.Sprintf("%d.%02d", rng.IntN(2000), rng.IntN(100)) },
		func() string { return fmt.Sprint(rng.NormFloat64()) },
		func() string { return []string{"1.5", "inf", "-inf", "2e300", "-7.25"}[rng.IntN(5)] },
		func() string { return []string{"true", "false", ""}[rng.IntN(3)] },
		func() string { return fmt.Sprintf("2024-%02d-%02d", rng.IntN(12)+1, rng.IntN(28)+1) },
		func() string {
			return fmt.Sprintf("%02d.%02d.2024 %02d:%02d", rng.IntN(28)+1, rng.IntN(12)+1, rng.IntN(24), rng.IntN(60))
		},
		func() string { return fmt.Sprintf("2024-01-%02dT%02d:00:00+02:00", rng.IntN(28)+1, rng.IntN(24)) },
		func() string { return fmt.Sprintf("%02d:%02d:%02d", rng.IntN(24), rng.IntN(60), rng.IntN(60)) },
		func() string { return []string{"žluť", "", `""`, "a & b", "N/A", "<x>"}[rng.IntN(6)] },
		func() string { return fmt.Sprintf(`"{""a"":%d}"`, rng.IntN(3)) },
		func() string { return fmt.Sprintf("$%d,%03d.5", rng.IntN(9)+1, rng.IntN(1000)) },
	}
	for rows, columns := range map[int]int{1: len(cells), 2: len(cells), 40: 200 + 50, 3000: len(cells)} {
		var b strings.Builder
		for j := range columns {
			fmt.Fprintf(&b, "c%d;", j)
		}
		b.WriteString("none\n")
		for range rows {
			for j := range columns {
				if rng.IntN(12) > 0 {
					b.WriteString(cells[j%len(cells)]())
				}
				b.WriteByte(';')
			}
			b.WriteByte('\n')
		}
		ts, dir := newTables(t)
		write(t, dir, "a.csv", b.String())
		ctx, src := context.Background(), Source{Path: "a.csv"}
		fresh, err := ts.Stats(ctx, StatsRequest{Source: src})
		if err != nil {
			t.Fatal(err)
		}
		if n := databases(t, dir); n != 0 {
			t.Errorf("%d databases", n)
		}
		if _, err := ts.Export(ctx, ExportRequest{Source: src, TargetPath: filepath.Join(dir, "a.parquet")}); err != nil {
			t.Fatal(err)
		}
		parquet, err := ts.Stats(ctx, StatsRequest{Source: Source{Path: "a.parquet"}})
		if err != nil {
			t.Fatal(err)
		}
		other, dir := newTables(t)
		write(t, dir, "a.csv", b.String())
		if answer(t, other, "a.csv", "SELECT count(*) FROM data"); databases(t, dir) != 1 {
			t.Fatal("no database")
		}
		stored, err := other.Stats(ctx, StatsRequest{Source: src})
		if err != nil {
			t.Fatal(err)
		}
		again, err := ts.Stats(ctx, StatsRequest{Source: src})
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range fresh.Columns {
			want := show(t, c)
			if got := show(t, again.Columns[j]); got != want {
				t.Fatalf("at first %s\nthen %s", want, got)
			}
			parquet.Columns[j].Type = c.Type // integers of more than 64 bits are decimals there
			if got := show(t, stored.Columns[j]); got != want {
				t.Fatalf("out of the file %s\nout of its database %s", want, got)
			}
			if got := show(t, parquet.Columns[j]); got != want {
				t.Fatalf("out of the file %s\nout of parquet %s", want, got)
			}
		}
	}
}
