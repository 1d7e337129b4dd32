package analyst_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/server/core"
)

// BenchmarkIceberg fetches 3 M rows of 10 files of an Iceberg table, and lets the
// engine alone copy the same files.
func BenchmarkIceberg(b *testing.B) {
	const files, rows = 10, 300_000
	root := b.TempDir()
	data := filepath.Join(root, "t", "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		b.Fatal(err)
	}
	var list []opentables.IcebergFile
	for i := range files {
		name := fmt.Sprintf("%02d.parquet", i)
		if err := enginetest.Writer(b).Exec(b.Context(), fmt.Sprintf(`COPY (SELECT %d + range AS id, range %% 977 AS k, 'name ' || range %% 5000 AS name, range / 7.0 AS x,
			DATE '2024-01-01' + (range %% 366)::INTEGER AS d, TIMESTAMP '2024-01-01' + INTERVAL (range) SECOND AS t FROM range(%d)) TO %s
			(FORMAT parquet, FIELD_IDS {id: 1, k: 2, name: 3, x: 4, d: 5, t: 6})`, i*rows, rows, duckdb.Literal(filepath.Join(data, name)))); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(data, name))
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, opentables.IcebergFile{Path: "data/" + name, Rows: rows, Size: info.Size(), Day: -1})
	}
	var fields []map[string]any
	for i, typ := range []string{"id long", "k long", "name string", "x double", "d date", "t timestamp"} {
		var name, of string
		if _, err := fmt.Sscan(typ, &name, &of); err != nil {
			b.Fatal(err)
		}
		fields = append(fields, map[string]any{"id": i + 1, "name": name, "required": false, "type": of})
	}
	if err := opentables.WriteIcebergSnapshot(filepath.Join(root, "t"), fields, nil, [][]opentables.IcebergFile{list}); err != nil {
		b.Fatal(err)
	}
	inst, sources, store := instancetest.Open(b, b.TempDir(), fmt.Sprintf("sources: { s: { type: iceberg, root: %q } }\ntables: [{ id: t, source: s, path: t }]\n", root))
	c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
	b.Cleanup(func() { _ = c.Close() })
	a := workplace(b)
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: c.Data(core.LocalAdmin), Name: "file:///x"}, nil
	}
	b.Run("fetch", func(b *testing.B) {
		for b.Loop() {
			if _, err := fetch.Run(b.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t"}, Fresh: true, Force: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			db, err := duckdb.Open(duckdb.Options{})
			if err != nil {
				b.Fatal(err)
			}
			conn, err := db.Conn()
			if err == nil {
				err = conn.Exec(b.Context(), "COPY (FROM read_parquet("+duckdb.Literal(filepath.Join(data, "*.parquet"))+")) TO "+duckdb.Literal(filepath.Join(root, "copy.parquet"))+" (FORMAT parquet)")
			}
			if err != nil {
				b.Fatal(err)
			}
			_ = conn.Close()
			_ = db.Close()
		}
	})
}
