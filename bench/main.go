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
	"path/filepath"
)

func main() {
	// Engines run in processes of their own: a child's peak memory begins at
	// that of the process which forked it.
	if len(os.Args) > 1 && os.Args[1] == "copy" {
		exit(copyTo(os.Args[2:]))
		return
	}
	var o options
	flag.StringVar(&o.da, "da", "bin/da", "the binary to measure")
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
	da   string
	runs int
	only string
}

// run prepares the data once and measures each part.
func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "da-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.da, err = filepath.Abs(o.da); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w := &world{options: o, dir: dir, self: self}
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
