package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/internal/bench/marks"
	"github.com/agnes-data/da/internal/bench/process"
)

// manySnapshots is how many snapshots the crowded store holds.
const manySnapshots = 1000

// warmCase is a command, and what of the folders it runs in.
type warmCase struct {
	what string
	home func(homes) []string // its environment
	args []string
}

// homes are environments: a store with one snapshot, one with many, and one that
// has asked a server for its catalog. A store belongs to the binary that wrote it.
type homes struct{ one, many, far []string }

func warmPart(ctx context.Context, w *world) error {
	s, err := w.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _, _ = s.stop() }() // its figures are those of fetchPart
	in := make([]homes, len(w.variants))
	for i, v := range w.variants {
		if in[i], err = w.as(v).homes(ctx, s); err != nil {
			return err
		}
	}
	one, many, far := func(h homes) []string { return h.one }, func(h homes) []string { return h.many },
		func(h homes) []string { return h.far }
	table := w.table("command", "median", "peak memory")
	for _, c := range []warmCase{
		{"da version", one, []string{"version"}},
		{"da --help", one, []string{"--help"}},
		{"da catalog --json, cached", far, []string{"catalog", "--json"}},
		{"completion of a table's name", far, []string{"__complete", "fetch", "li"}},
		{"da query \"SELECT 1\"", one, []string{"query", "SELECT 1"}},
		{"da query of one snapshot, 1 present", one, []string{"query", "SELECT count(*) FROM s0"}},
		{fmt.Sprintf("da query of one snapshot, %d present", manySnapshots), many, []string{"query", "SELECT count(*) FROM s0"}},
		{fmt.Sprintf("da snapshot list, %d present", manySnapshots), many, []string{"snapshot", "list"}},
	} {
		if err := w.warmRow(ctx, table, c, in); err != nil {
			return err
		}
	}
	return nil
}

// homes makes the folders of a variant.
func (w *world) homes(ctx context.Context, s *served) (h homes, err error) {
	instance := "DA_INSTANCE=" + filepath.Join(w.dir, "instance.yaml")
	one, err := w.store(ctx, instance, 1)
	if err != nil {
		return h, err
	}
	many, err := w.store(ctx, instance, manySnapshots)
	if err != nil {
		return h, err
	}
	far, err := os.MkdirTemp(w.dir, "home-")
	if err != nil {
		return h, err
	}
	return homes{[]string{instance, "DA_HOME=" + one}, []string{instance, "DA_HOME=" + many}, s.env(far)}, nil
}

// warmRow measures a command. The first round warms the caches.
func (w *world) warmRow(ctx context.Context, table *marks.Table, c warmCase, in []homes) error {
	runs := make([][]process.Sample, len(w.variants))
	for round := range 4*w.runs + 1 {
		for i, v := range w.variants {
			s, _, err := w.as(v).measure(ctx, c.home(in[i]), v.da, c.args...)
			if err != nil {
				return err
			}
			if round > 0 {
				runs[i] = append(runs[i], s)
			}
		}
	}
	for i, v := range w.variants {
		table.Row(c.what+v.note, milliseconds(process.Median(runs[i], process.Wall)), megabytes(process.Median(runs[i], process.Peak)))
	}
	return nil
}

// store makes a home with n small snapshots. One is fetched; the others are
// copies of its two files under other names, which is all that a snapshot is.
func (w *world) store(ctx context.Context, instance string, n int) (string, error) {
	home, err := os.MkdirTemp(w.dir, "home-")
	if err != nil {
		return "", err
	}
	_, _, err = measure(ctx, []string{instance, "DA_HOME=" + home}, w.da, "fetch", "lines", "--select", "orderkey",
		"--limit", "10", "--no-estimate", "--as", "s0")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(home, "snapshots")
	sidecar, err := os.ReadFile(filepath.Join(dir, "s0.meta.json"))
	if err != nil {
		return "", err
	}
	data, err := os.Readlink(filepath.Join(dir, "s0.parquet"))
	if err != nil {
		return "", err
	}
	for i := 1; i < n; i++ {
		name := fmt.Sprintf("s%d", i)
		copied := strings.Replace(data, "s0-", name+"-", 1)
		text := strings.NewReplacer(`"s0"`, `"`+name+`"`, data, copied).Replace(string(sidecar))
		err := errors.Join(os.Link(filepath.Join(dir, data), filepath.Join(dir, copied)),
			os.Symlink(copied, filepath.Join(dir, name+".parquet")),
			os.WriteFile(filepath.Join(dir, name+".meta.json"), []byte(text), 0o600))
		if err != nil {
			return "", err
		}
	}
	return home, nil
}
