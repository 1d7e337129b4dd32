package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/bench/marks"
	"github.com/agnes-data/da/internal/bench/process"
)

// fetched is one whole fetch, from both sides.
type fetched struct {
	client, server process.Sample
	bytes          int64 // of the snapshot
	timings        map[string]float64
}

// fetchOnce runs a fresh server and a fresh client against each other.
func (w *world) fetchOnce(ctx context.Context, args ...string) (fetched, error) {
	home, err := os.MkdirTemp(w.dir, "home-")
	if err != nil {
		return fetched{}, err
	}
	defer os.RemoveAll(home)
	s, err := w.serve(ctx)
	if err != nil {
		return fetched{}, err
	}
	f, err := w.fetchAs(ctx, s.env(home), args...)
	server, stopErr := s.stop()
	if err != nil {
		return fetched{}, err
	}
	f.server = server
	return f, stopErr
}

// fetchAs runs a fetch in an environment.
func (w *world) fetchAs(ctx context.Context, env []string, args ...string) (fetched, error) {
	client, out, err := w.measure(ctx, env, w.da, append([]string{"fetch", "--json"}, args...)...)
	if err != nil {
		return fetched{}, err
	}
	var result struct {
		Snapshot struct {
			Bytes int64 `json:"bytes_local"`
		} `json:"snapshot"`
		Timings map[string]float64 `json:"timings_ms"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return fetched{}, err
	}
	return fetched{client: client, bytes: result.Snapshot.Bytes, timings: result.Timings}, nil
}

// fetchCase is a fetch, and the statement whose COPY is its baseline.
type fetchCase struct {
	what string
	args []string
	sql  string // %s: the folder of the data
}

// fetchCases are the fetches that are measured for memory and through lines.
func (w *world) fetchCases() []fetchCase {
	millions := func(n int) string { return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) }
	var cases []fetchCase
	for _, order := range []string{"", "shipdate"} {
		for _, table := range []string{"lines", "lines_large"} {
			c := fetchCase{
				what: millions(w.rows/2) + " M rows, unordered", args: []string{table, "--select", columns, "--where", filter},
				sql: fmt.Sprintf("SELECT %s FROM '%%s/%s/*.parquet' WHERE %s", columns, table, strings.ReplaceAll(filter, "%", "%%")),
			}
			if table == "lines_large" {
				c.what = millions(2*w.rows) + " M rows, unordered"
			}
			if order != "" {
				c.what, c.sql, c.args = strings.Replace(c.what, "unordered", "ordered", 1), c.sql+" ORDER BY "+order,
					append(c.args, "--order-by", order)
			}
			cases = append(cases, c)
		}
	}
	return append(cases, fetchCase{fmt.Sprintf("%d rows of 100 kB", w.rows/300), []string{"wide"}, "SELECT * FROM '%s/wide.parquet'"})
}

// copied is the baseline of a case: its COPY by the engine alone.
func (w *world) copied(ctx context.Context, c fetchCase) (s process.Sample, bytes int64, err error) {
	target := filepath.Join(w.dir, "baseline.parquet")
	if s, _, err = w.measure(ctx, nil, w.self, "copy", fmt.Sprintf(c.sql, filepath.Join(w.dir, "data")), target); err != nil {
		return s, 0, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return s, 0, err
	}
	return s, info.Size(), nil
}

// fetchPart measures the first case in full.
func fetchPart(ctx context.Context, w *world) error {
	c := w.fetchCases()[0]
	base, fetches := make([][]process.Sample, len(w.variants)), make([][]fetched, len(w.variants))
	var baseBytes int64
	for i := range w.runs + 1 {
		for k, v := range w.variants {
			b, size, err := w.as(v).copied(ctx, c)
			if err != nil {
				return err
			}
			f, err := w.as(v).fetchOnce(ctx, c.args...)
			if err != nil {
				return err
			}
			if i > 0 { // the first round warms the page cache
				base[k], fetches[k], baseBytes = append(base[k], b), append(fetches[k], f), size
			}
		}
	}
	table := w.table("what", "median", "to baseline")
	for k, v := range w.variants {
		fetchRows(table, v, base[k], fetches[k], baseBytes)
	}
	return nil
}

// fetchRows prints what one variant took.
func fetchRows(table *marks.Table, v variant, base []process.Sample, fetches []fetched, baseBytes int64) {
	reference := process.Median(base, process.Wall)
	row := func(what string, d time.Duration) {
		table.Row(what+v.note, milliseconds(d), fmt.Sprintf("%.2f", float64(d)/float64(reference)))
	}
	row("DuckDB COPY, one process, wall", reference)
	row("da fetch, wall", process.Median(fetches, func(f fetched) time.Duration { return f.client.Wall }))
	for _, phase := range []string{"estimate", "first_batch", "transfer", "verify", "install"} {
		row("… of it "+phase, time.Duration(process.Median(fetches,
			func(f fetched) float64 { return f.timings[phase] })*float64(time.Millisecond)))
	}
	row("client CPU", process.Median(fetches, func(f fetched) time.Duration { return f.client.CPU }))
	row("server CPU", process.Median(fetches, func(f fetched) time.Duration { return f.server.CPU }))
	row("DuckDB COPY, CPU", process.Median(base, process.CPU))
	table.Row("snapshot file"+v.note, megabytes(fetches[0].bytes), fmt.Sprintf("%.2f", float64(fetches[0].bytes)/float64(baseBytes)))
	table.Row("DuckDB COPY's file"+v.note, megabytes(baseBytes), "1.00")
}

func memoryPart(ctx context.Context, w *world) error {
	table := w.table("case", "server", "client", "wall")
	for _, c := range w.fetchCases() {
		for _, v := range w.variants {
			var runs []fetched
			for range w.runs {
				f, err := w.as(v).fetchOnce(ctx, c.args...)
				if err != nil {
					return err
				}
				runs = append(runs, f)
			}
			table.Row(c.what+v.note, megabytes(process.Median(runs, func(f fetched) int64 { return f.server.Peak })),
				megabytes(process.Median(runs, func(f fetched) int64 { return f.client.Peak })),
				milliseconds(process.Median(runs, func(f fetched) time.Duration { return f.client.Wall })))
		}
	}
	return nil
}
