package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/internal/duckdb"
)

// fetched is one whole fetch, from both sides.
type fetched struct {
	client, server sample
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
	client, out, err := measure(ctx, env, w.da, append([]string{"fetch", "--json"}, args...)...)
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

func fetchPart(ctx context.Context, w *world) error {
	source := duckdb.Literal(filepath.Join(w.dir, "data/lines/part.parquet"))
	sql := fmt.Sprintf("SELECT %s FROM %s WHERE %s", columns, source, filter)
	var base []sample
	var baseBytes int64
	var fetches []fetched
	for i := range w.runs + 1 {
		target := filepath.Join(w.dir, "baseline.parquet")
		b, _, err := measure(ctx, nil, w.self, "copy", sql, target)
		if err != nil {
			return err
		}
		info, err := os.Stat(target)
		if err != nil {
			return err
		}
		f, err := w.fetchOnce(ctx, "lines", "--select", columns, "--where", filter)
		if err != nil {
			return err
		}
		if i > 0 { // the first round warms the page cache
			base, fetches, baseBytes = append(base, b), append(fetches, f), info.Size()
		}
	}
	client := func(f fetched) time.Duration { return f.client.wall }
	fmt.Println("| what | median | to baseline |\n|---|---|---|")
	row := func(what, value string, ratio float64) { fmt.Printf("| %s | %s | %.2f |\n", what, value, ratio) }
	reference := median(base, wall)
	ratio := func(d time.Duration) float64 { return float64(d) / float64(reference) }
	row("DuckDB COPY, one process, wall", milliseconds(reference), 1)
	row("da fetch, wall", milliseconds(median(fetches, client)), ratio(median(fetches, client)))
	for _, phase := range []string{"estimate", "first_batch", "transfer", "verify", "install"} {
		d := time.Duration(median(fetches, func(f fetched) float64 { return f.timings[phase] }) * float64(time.Millisecond))
		row("… of it "+phase, milliseconds(d), ratio(d))
	}
	clientCPU := median(fetches, func(f fetched) time.Duration { return f.client.cpu })
	row("client CPU", milliseconds(clientCPU), ratio(clientCPU))
	serverCPU := median(fetches, func(f fetched) time.Duration { return f.server.cpu })
	row("server CPU", milliseconds(serverCPU), ratio(serverCPU))
	row("DuckDB COPY, CPU", milliseconds(median(base, cpu)), ratio(median(base, cpu)))
	fmt.Printf("| snapshot file | %s | %.2f |\n", megabytes(fetches[0].bytes), float64(fetches[0].bytes)/float64(baseBytes))
	fmt.Printf("| DuckDB COPY's file | %s | 1.00 |\n", megabytes(baseBytes))
	return nil
}

func memoryPart(ctx context.Context, w *world) error {
	cases := []struct {
		what string
		args []string
	}{
		{"3 M rows, unordered", []string{"lines", "--select", columns, "--where", filter}},
		{"12 M rows, unordered", []string{"lines_large", "--select", columns, "--where", filter}},
		{"3 M rows, ordered", []string{"lines", "--select", columns, "--where", filter, "--order-by", "shipdate"}},
		{"12 M rows, ordered", []string{"lines_large", "--select", columns, "--where", filter, "--order-by", "shipdate"}},
		{"20,000 rows of 100 kB", []string{"wide"}},
	}
	fmt.Println("| case | server | client | wall |\n|---|---|---|---|")
	for _, c := range cases {
		var runs []fetched
		for range w.runs {
			f, err := w.fetchOnce(ctx, c.args...)
			if err != nil {
				return err
			}
			runs = append(runs, f)
		}
		fmt.Printf("| %s | %s | %s | %s |\n", c.what,
			megabytes(median(runs, func(f fetched) int64 { return f.server.peak })),
			megabytes(median(runs, func(f fetched) int64 { return f.client.peak })),
			milliseconds(median(runs, func(f fetched) time.Duration { return f.client.wall })))
	}
	return nil
}
