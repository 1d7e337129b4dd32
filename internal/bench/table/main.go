// Command table measures the local table commands of da side by side with the
// tools that are at hand: Miller, csvkit and sqlite3, DuckDB and Polars through
// their npm packages, LibreOffice. Each command is a process of its own, from
// fork to exit; a tool that is not installed is left out and named.
//
// It must not be used as a test: it asserts nothing, and its figures belong to
// the machine that it runs on.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.da, "da", "bin/da", "the binary to measure")
	flag.StringVar(&o.npm, "npm", ".cache/npm", "folder in which nodejs-polars and @duckdb/node-api are installed")
	flag.IntVar(&o.rows, "rows", 2_000_000, "rows of the file")
	flag.StringVar(&o.only, "only", "", "run only the tasks whose name contains this")
	flag.BoolVar(&o.slow, "slow", false, "run tools that take minutes, too")
	flag.DurationVar(&o.limit, "limit", 3*time.Minute, "give up on a command after this time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "da-bench-table-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.da, err = filepath.Abs(o.da); err != nil {
		return err
	}
	if o.npm, err = filepath.Abs(o.npm); err != nil {
		return err
	}
	w := &world{options: o, dir: dir}
	if err := w.generate(); err != nil {
		return err
	}
	fmt.Printf("%d rows, %d columns, %.0f MB\n\n", o.rows, 10, float64(w.size)/1e6)
	fmt.Printf("%-34s %-26s %8s %8s %9s\n", "task", "tool", "wall s", "cpu s", "peak MB")
	missing, slow := map[string]bool{}, map[string]bool{}
	for _, t := range w.tasks() {
		if !strings.Contains(t.name, o.only) {
			continue
		}
		for _, c := range t.commands {
			if c.missing() {
				missing[c.tool] = true
				continue
			}
			if c.slow && !o.slow {
				slow[c.tool] = true
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			fmt.Println(line(t.name, c.tool, w.measure(ctx, c)))
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(missing)) {
		fmt.Printf("left out, not installed: %s\n", tool)
	}
	for _, tool := range slices.Sorted(maps.Keys(slow)) {
		fmt.Printf("left out, takes minutes (-slow runs it): %s\n", tool)
	}
	return nil
}

func line(task, tool string, s sample) string {
	if s.failed != "" {
		return fmt.Sprintf("%-34s %-26s %s", task, tool, s.failed)
	}
	return fmt.Sprintf("%-34s %-26s %8.2f %8.2f %9.0f", task, tool, s.Wall.Seconds(), s.CPU.Seconds(), float64(s.Peak)/1e6)
}
