package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/internal/bench/process"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// The table of many files, the tables of one statement, and what of a snapshot is
// asked for: 3 of 6 million rows, 5 of 6 columns.
const (
	manyFiles  = 100
	manyTables = 10
	heldFrom   = "orderkey,partkey,quantity,price,discount,flag"
	coveredOf  = "orderkey,partkey,price,discount,flag"
	covered    = "quantity <= 25"
)

// reuseData writes the tables of reusePart.
func (w *world) reuseData(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(w.dir, "data/many"), 0o755); err != nil {
		return err
	}
	for i := range manyFiles {
		if err := w.writeMany(ctx, i, 0); err != nil {
			return err
		}
	}
	text := instance + "  - { id: many, source: files, path: \"many/*.parquet\" }\n"
	for i := range manyTables {
		text += fmt.Sprintf("  - { id: t%d, source: files, path: many/00.parquet }\n", i)
	}
	return os.WriteFile(filepath.Join(w.dir, "instance.yaml"), []byte(text), 0o600)
}

// writeMany writes one file of the table of many.
func (w *world) writeMany(ctx context.Context, i, version int) error {
	sql := fmt.Sprintf("SELECT range + %d AS id, hash(range, %d) AS h, range %% 7 AS n FROM range(20000)", i*20000, version)
	_, _, err := measure(ctx, nil, w.self, "copy", sql, filepath.Join(w.dir, fmt.Sprintf("data/many/%02d.parquet", i)))
	return err
}

// reusePart measures what is not read again.
func reusePart(ctx context.Context, w *world) error {
	if err := w.reuseData(ctx); err != nil {
		return err
	}
	home, err := os.MkdirTemp(w.dir, "home-")
	if err != nil {
		return err
	}
	env := []string{"DA_INSTANCE=" + filepath.Join(w.dir, "instance.yaml"), "DA_HOME=" + home}
	for _, args := range [][]string{{"lines", "--select", heldFrom, "--as", "held"}, {"many", "--as", "many"}} {
		if _, err := w.fetchAs(ctx, env, args...); err != nil {
			return err
		}
	}
	var copied, cut, whole, started, same, planned []process.Sample
	held := duckdb.Literal(filepath.Join(home, "snapshots/held.parquet"))
	plan := "SELECT count(*) FROM t0"
	for i := range manyTables - 1 {
		plan += fmt.Sprintf(" JOIN t%d USING (id)", i+1)
	}
	for i := range w.runs + 1 {
		for _, name := range []string{"cut", "whole"} { // else they would answer themselves
			if _, _, err := measure(ctx, env, w.da, "snapshot", "drop", name); err != nil && i > 0 {
				return err
			}
		}
		var round [6]process.Sample
		for k, args := range [][]string{
			{w.self, "copy", fmt.Sprintf("SELECT %s FROM %s WHERE %s", coveredOf, held, covered), filepath.Join(w.dir, "baseline.parquet")},
			{w.da, "fetch", "lines", "--select", coveredOf, "--where", covered, "--as", "cut"},
			{w.da, "fetch", "lines", "--select", heldFrom, "--as", "whole"},
			{w.da, "query", "SELECT 1"},
			{w.da, "snapshot", "refresh", "held"},
			{w.da, "plan", plan},
		} {
			s, _, err := measure(ctx, env, args[0], args[1:]...)
			if err != nil {
				return err
			}
			round[k] = s
		}
		if i > 0 { // the first round warms the page cache
			copied, cut, whole, started, same, planned = append(copied, round[0]), append(cut, round[1]), append(whole, round[2]),
				append(started, round[3]), append(same, round[4]), append(planned, round[5])
		}
	}
	read, all, err := w.delta(ctx, env)
	if err != nil {
		return err
	}
	reference, start := process.Median(copied, process.Wall), process.Median(started, process.Wall)
	row := w.table("what", "median", "to be at most").Row
	row("DuckDB COPY from the snapshot's file", milliseconds(reference), "")
	row("the same by da fetch", fmt.Sprintf("%s, %.2f of it", milliseconds(process.Median(cut, process.Wall)),
		float64(process.Median(cut, process.Wall))/float64(reference)), "0.60")
	row("da fetch of all of it, a hard link", milliseconds(process.Median(whole, process.Wall)), "80 ms")
	row("da query \"SELECT 1\", to compare", milliseconds(start), "")
	row("da snapshot refresh, unchanged", milliseconds(process.Median(same, process.Wall)), "100 ms")
	row(fmt.Sprintf("da plan of %d tables, beyond da query \"SELECT 1\"", manyTables),
		milliseconds(max(0, process.Median(planned, process.Wall)-start)), "50 ms")
	row(fmt.Sprintf("bytes of a refresh with 1 of %d files changed", manyFiles), fmt.Sprintf("%.1f %%", 100*float64(read)/float64(all)), "5 %")
	return nil
}

// delta changes a file, and tells how many bytes a refresh reads, of how many.
func (w *world) delta(ctx context.Context, env []string) (read, all int64, err error) {
	if err := w.writeMany(ctx, 7, 1); err != nil {
		return 0, 0, err
	}
	if err := os.Chtimes(filepath.Join(w.dir, "data/many/07.parquet"), time.Time{}, time.Now().Add(time.Minute)); err != nil {
		return 0, 0, err
	}
	_, out, err := measure(ctx, env, w.da, "snapshot", "refresh", "many", "--json")
	if err != nil {
		return 0, 0, err
	}
	var result struct {
		Delta *struct {
			Read int `json:"files_read"`
		} `json:"delta"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return 0, 0, err
	}
	for i := range manyFiles {
		info, err := os.Stat(filepath.Join(w.dir, fmt.Sprintf("data/many/%02d.parquet", i)))
		if err != nil {
			return 0, 0, err
		}
		if all += info.Size(); i == 7 {
			read = info.Size()
		}
	}
	if result.Delta == nil || result.Delta.Read != 1 {
		read = all
	}
	return read, all, nil
}
