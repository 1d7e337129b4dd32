package analyst_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/server/core"
)

// parted is a workplace on a warehouse whose table t is partitioned by its column p.
type parted struct {
	*analyst.Analyst
	t      *testing.T
	core   *core.Core
	server *bqtest.Server
	rand   *rand.Rand
	value  string // of p in partition %d and row @, in DuckDB's SQL
	made   int
}

func openParted(t *testing.T, kind string, change ...func(*bqtest.Table)) *parted {
	t.Helper()
	k := partedKinds[kind]
	def := k.def
	def.Columns = []bqtest.Column{{Name: "p", Type: k.typ}, {Name: "n", Type: "INT64"}, {Name: "s", Type: "STRING"}}
	def.PartitionBy, def.Bytes = "p", 1<<30
	for _, c := range change {
		c(&def)
	}
	first := "SELECT NULL, 0, 'x'"
	if def.PartitionBy == bqtest.PartitionTime {
		first += ", now()"
	}
	first += " FROM range(0)"
	server := bqtest.Open(t)
	server.Load(t, "t", def, first)
	inst, sources, store := instancetest.Open(t, t.TempDir(), fmt.Sprintf(
		"sources: { s: { type: bigquery, project: %s, dataset: %s, endpoint: %q, storage_endpoint: %q } }\ntables:\n  - { id: t, source: s, relation: t }\n", bqtest.Project, bqtest.Dataset, server.URL, server.Storage))
	c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = c.Close() })
	w := &parted{Analyst: workplace(t), t: t, core: c, server: server, rand: rand.New(rand.NewPCG(3, 4)), value: k.value}
	w.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: c.Data(core.LocalAdmin), Name: "file:///x"}, nil
	}
	return w
}

// add adds rows to a partition.
func (w *parted) add(partition int) {
	w.made++
	w.server.Change(w.t, "t", fmt.Sprintf("INSERT INTO %%s SELECT %s, i %% 7 - 3, 'row ' || (i + %d) FROM range(%d) r(i)",
		w.of(partition, "i"), w.made*1000, 50+w.rand.IntN(50)))
}

// of is a value of a partition.
func (w *parted) of(partition int, row string) string {
	return strings.ReplaceAll(fmt.Sprintf(w.value, partition), "@", row)
}

// step adds rows, changes them, removes partitions, or does nothing.
func (w *parted) step() {
	for range w.rand.IntN(4) {
		one := w.of(w.rand.IntN(12), "0")
		switch w.rand.IntN(5) {
		case 0:
			w.server.Change(w.t, "t", "DELETE FROM %s WHERE p = "+one)
		case 1:
			w.server.Change(w.t, "t", "UPDATE %s SET n = n + 1 WHERE p = "+one)
		case 2:
			w.server.Change(w.t, "t", fmt.Sprintf("INSERT INTO %%s VALUES (NULL, 5, 'null %d')", w.rand.IntN(100)))
		default:
			w.add(w.rand.IntN(12))
		}
	}
}

// partedKinds are the ways to partition a table.
var partedKinds = map[string]struct {
	typ, value string
	def        bqtest.Table
}{
	"day":    {"DATE", "(DATE '2025-12-28' + %d)", bqtest.Table{}},
	"month":  {"DATETIME", "(TIMESTAMP '2025-07-31 22:10:00' + to_months(%d) + to_seconds(@))", bqtest.Table{PartitionStep: "MONTH"}},
	"hour":   {"TIMESTAMP", "(TIMESTAMPTZ '1969-12-31 20:59:59.999999+00' + to_hours(%d) + to_microseconds(@))", bqtest.Table{PartitionStep: "HOUR"}},
	"year":   {"DATE", "make_date(9999 - %d, 12, 31)", bqtest.Table{PartitionStep: "YEAR"}},
	"number": {"INT64", "(%d * 100 + @)", bqtest.Table{PartitionWidth: 100}},
}

// TestADeltaOfPartitions gives what a full read gives, after random changes of a
// table of a warehouse, in this process, and over HTTP under a rule.
func TestADeltaOfPartitions(t *testing.T) {
	for kind := range partedKinds {
		t.Run(kind, func(t *testing.T) {
			w := openParted(t, kind)
			for i := range 8 {
				w.add(i)
			}
			doors := map[string]func() (analyst.Remote, error){"all": w.Connect, "ruled": serve(t, w.core, "ann")}
			if _, err := w.core.Administration(core.LocalAdmin).CreateGrant(t.Context(), api.NewGrant{User: "ann", TableID: "t", Rows: "n <> 1 AND s < 'row 7'"}); err != nil {
				t.Fatal(err)
			}
			wheres := []string{"", "n > 0"}
			for door, connect := range doors {
				w.Connect = connect
				for i, where := range wheres {
					mustFetch(t, w.Analyst, fmt.Sprintf("%s%d", door, i), api.ScanRequest{Where: where})
				}
			}
			deltas := 0
			for step := range 3 {
				w.step()
				for door, connect := range doors {
					w.Connect = connect
					i := (step + len(door)) % len(wheres)
					name := fmt.Sprintf("%s%d", door, i)
					got := mustRefresh(t, w.Analyst, fetch.RefreshRequest{Name: name})
					if got.ReadAll != "" {
						t.Errorf("%s: all was read: %s", name, got.ReadAll)
					}
					if got.Delta != nil && got.Delta.Kept > 0 {
						deltas++
					}
					if want := mustFetch(t, w.Analyst, "want", api.ScanRequest{Where: wheres[i]}); want.ContentHash != got.After.ContentHash {
						t.Errorf("%s: %d rows after %+v, want %d", name, got.After.Rows, got.Delta, want.Rows)
					}
				}
			}
			if deltas < 2 {
				t.Errorf("%d deltas only", deltas)
			}
			for _, sql := range w.server.Refused() {
				t.Errorf("refused: %s", sql)
			}
		})
	}
}

// TestADeltaOfPartitionsReadsWhatIsNew holds what it reads against what a full read
// does.
func TestADeltaOfPartitionsReadsWhatIsNew(t *testing.T) {
	w := openParted(t, "day")
	w.server.Change(t, "t", "INSERT INTO %s SELECT DATE '2026-01-01' + (i % 100)::INTEGER, i, 'x' FROM range(10000) r(i)")
	mustFetch(t, w.Analyst, "s", api.ScanRequest{})
	w.server.Change(t, "t", "UPDATE %s SET n = -1 WHERE p = '2026-02-03' AND n > 500")
	w.server.Change(t, "t", "DELETE FROM %s WHERE p = '2026-02-05'")
	remote, err := w.Connect()
	if err != nil {
		t.Fatal(err)
	}
	held, err := w.Store.Get("s")
	if err != nil {
		t.Fatal(err)
	}
	scan := api.ScanRequest{TableID: "t", Files: true}
	full, err := remote.Estimate(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range held.Files {
		scan.HeldFiles = append(scan.HeldFiles, f.ID)
	}
	part, err := remote.Estimate(t.Context(), scan)
	if err != nil || len(held.Files) != 100 || *part.ScanBytes*90 > *full.ScanBytes || *part.ScanBytes == 0 {
		t.Errorf("reads %d of %d bytes: %v", *part.ScanBytes, *full.ScanBytes, err)
	}
	got := mustRefresh(t, w.Analyst, fetch.RefreshRequest{Name: "s"})
	if got.Delta == nil || *got.Delta != (fetch.Delta{Read: 1, Kept: 98, Gone: 2}) || got.RowsDelta != -100 {
		t.Errorf("%+v, %+d rows, %s", got.Delta, got.RowsDelta, got.ReadAll)
	}
	jobs := w.server.Jobs()
	if last := jobs[len(jobs)-1].SQL; !strings.Contains(last, "`p` >= DATE '2026-02-03'") || !strings.Contains(last, "`p` < DATE '2026-02-04'") {
		t.Errorf("the last job is %s", last)
	}
}

// TestPartitionsThatAreReadInFull refreshes tables whose partitions cannot be read
// one by one, or are not worth it; the result says so.
func TestPartitionsThatAreReadInFull(t *testing.T) {
	for name, c := range map[string]struct {
		kind   string
		change func(*bqtest.Table)
		scan   api.ScanRequest
		also   string
	}{
		"a small table":             {kind: "day", change: func(d *bqtest.Table) { d.Bytes = 1 << 20 }},
		"the column is not fetched": {kind: "day", scan: api.ScanRequest{Select: []string{"n", "s"}}},
		"by time of ingestion":      {kind: "day", change: func(d *bqtest.Table) { d.PartitionBy = bqtest.PartitionTime }},
		"rows outside of the range": {kind: "number", also: "INSERT INTO %s VALUES (-5, 1, 'x')"},
	} {
		t.Run(name, func(t *testing.T) {
			change := c.change
			if change == nil {
				change = func(*bqtest.Table) {}
			}
			w := openParted(t, c.kind, change)
			rows := "INSERT INTO %s SELECT " + w.of(1, "i") + ", i, 'x'"
			if name == "by time of ingestion" {
				rows += ", now(), current_date"
			}
			if w.server.Change(t, "t", rows+" FROM range(9) r(i)"); c.also != "" {
				w.server.Change(t, "t", c.also)
			}
			mustFetch(t, w.Analyst, "s", c.scan)
			w.server.Change(t, "t", rows+" FROM range(7) r(i)")
			got := mustRefresh(t, w.Analyst, fetch.RefreshRequest{Name: "s"})
			if got.Delta != nil || got.RowsDelta != 7 || got.ReadAll == "" {
				t.Errorf("%+v, %+d rows, %q", got.Delta, got.RowsDelta, got.ReadAll)
			}
		})
	}
}
