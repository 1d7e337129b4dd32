// Command bench measures da side by side with DuckDB doing the same work in
// one process: whole processes, fresh for each run, interleaved, medians. It
// prints a table and changes nothing outside a temporary folder.
//
// It must not be used as a test: it asserts nothing, and its figures belong to
// the machine that it runs on.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/agnes-data/da/internal/bench/marks"
	"github.com/agnes-data/da/internal/bench/process"
)

func main() {
	// Engines run in processes of their own: a child's peak memory begins at
	// that of the process which forked it.
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "copy":
			exit(copyTo(os.Args[2:]))
			return
		case "scans":
			exit(scans(os.Args[2:]))
			return
		}
	}
	var o options
	flag.StringVar(&o.binary, "da", "bin/da", "the binary to measure")
	flag.StringVar(&o.old, "old", "", "an older binary to measure beside it")
	flag.StringVar(&o.onCores, "cores", "", "numbers of cores to measure fetches with, such as 1,2; empty: all there are")
	flag.IntVar(&o.rows, "rows", lineRows, "rows of the table of lines")
	flag.StringVar(&o.compared, "before", "docs/performance.md", "tables of before: what is worse by more than 15 % is marked")
	flag.IntVar(&o.runs, "runs", 5, "runs of each variant")
	flag.StringVar(&o.only, "only", "", "run only the parts whose name contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, o))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	binary, old       string
	onCores, compared string
	runs, rows        int
	only              string
}

// before reads the tables that figures are compared with.
func before(file string) (marks.Before, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	return marks.Read(text)
}

// run prepares the data once and measures each part.
func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "da-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := &world{options: o, dir: dir}
	if w.self, err = os.Executable(); err != nil {
		return err
	}
	if w.variants, err = o.variants(); err != nil {
		return err
	}
	for _, v := range w.variants {
		if err := process.Uncached(v.da); err != nil {
			return err
		}
	}
	w.variant = w.variants[0]
	if w.before, err = before(o.compared); err != nil {
		return err
	}
	if err := w.generate(ctx); err != nil {
		return fmt.Errorf("make the data: %w", err)
	}
	for _, part := range parts {
		if !part.matches(o.only) {
			continue
		}
		fmt.Printf("\n## %s\n\n", part.title)
		if err := part.run(ctx, w); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
