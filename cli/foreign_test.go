package cli

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestSnapshotReadByAnotherReader reads a snapshot with a parquet reader that
// is not DuckDB's.
func TestSnapshotReadByAnotherReader(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "flights", "--select", "date,delay,origin", "--order-by", "delay", "--limit", "100", "--as", "flights")
	p.ok("fetch", "types")
	for name, rows := range map[string]int64{"flights": 100, "types": 3} {
		f, err := file.OpenParquetFile(filepath.Join(p.dir, "home/snapshots", name+".parquet"), false)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		table, err := r.ReadTable(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer table.Release()
		if table.NumRows() != rows {
			t.Errorf("%s has %d rows, want %d", name, table.NumRows(), rows)
		}
		if name != "flights" {
			continue
		}
		delays := table.Column(1).Data().Chunk(0).(*array.Int32)
		if first, last := delays.Value(0), delays.Value(delays.Len()-1); first != -20 || last < first {
			t.Errorf("delays run from %d to %d", first, last)
		}
	}
}

// olderDuckDB is where `make tools-npm` puts an older release of DuckDB.
const olderDuckDB = "../.cache/npm/node_modules/@duckdb/node-api"

// readViews opens a database with the older release and prints a count.
const readViews = `
const { DuckDBInstance } = require(process.argv[1]);
(async () => {
  const db = await DuckDBInstance.create(process.argv[2], { access_mode: 'READ_ONLY' });
  const rows = await (await db.connect()).runAndReadAll(
    "SELECT (SELECT count(*) FROM flights) || ' flights, ' || (SELECT count(*) FROM airports) || ' airports, ' || (SELECT count(*) FROM duckdb_views() WHERE NOT internal) || ' views'");
  console.log(rows.getRows()[0][0]);
})().catch(e => { console.error(e); process.exit(1); });`

// TestDerivedDatabaseOpensInOlderDuckDB opens analytics.duckdb with a release
// that is older than ours, after installs, a refresh and a drop.
func TestDerivedDatabaseOpensInOlderDuckDB(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs(olderDuckDB)
	if err != nil {
		t.Fatal(err)
	}
	testneed.File(t, module, "an older DuckDB", "make tools-npm")
	p := newPlace(t)
	p.ok("fetch", "flights")
	p.ok("fetch", "airports")
	p.ok("fetch", "types")
	p.ok("snapshot", "refresh", "flights", "--where", "month = 1")
	p.ok("snapshot", "drop", "types")
	out, err := exec.Command("node", "-e", readViews, module, filepath.Join(p.dir, "home/duckdb/analytics.duckdb")).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "200 flights, 3 airports, 2 views" {
		t.Errorf("%v: %s", err, got)
	}
}
