package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// manySnapshots is how many snapshots the crowded store holds.
const manySnapshots = 1000

func warmPart(ctx context.Context, w *world) error {
	instance := "DA_INSTANCE=" + filepath.Join(w.dir, "instance.yaml")
	one, err := w.store(ctx, instance, 1)
	if err != nil {
		return err
	}
	many, err := w.store(ctx, instance, manySnapshots)
	if err != nil {
		return err
	}
	fmt.Println("| command | median | peak memory |\n|---|---|---|")
	cases := []struct {
		what, home string
		args       []string
	}{
		{"da version", one, []string{"version"}},
		{"da query \"SELECT 1\"", one, []string{"query", "SELECT 1"}},
		{"da query of one snapshot, 1 present", one, []string{"query", "SELECT count(*) FROM s0"}},
		{fmt.Sprintf("da query of one snapshot, %d present", manySnapshots), many, []string{"query", "SELECT count(*) FROM s0"}},
		{fmt.Sprintf("da snapshot list, %d present", manySnapshots), many, []string{"snapshot", "list"}},
	}
	runs := make([][]sample, len(cases))
	for round := range 4*w.runs + 1 {
		for i, c := range cases {
			s, _, err := measure(ctx, []string{instance, "DA_HOME=" + c.home}, w.da, c.args...)
			if err != nil {
				return err
			}
			if round > 0 {
				runs[i] = append(runs[i], s)
			}
		}
	}
	for i, c := range cases {
		fmt.Printf("| %s | %s | %s |\n", c.what, milliseconds(median(runs[i], wall)), megabytes(median(runs[i], peak)))
	}
	return nil
}

// store makes a home with n small snapshots: one is fetched, the others are
// copies under other names, made the way that the store lays them out.
func (w *world) store(ctx context.Context, instance string, n int) (string, error) {
	home, err := os.MkdirTemp(w.dir, "home-")
	if err != nil {
		return "", err
	}
	for i := range n {
		_, _, err := measure(ctx, []string{instance, "DA_HOME=" + home}, w.da, "fetch", "lines", "--select", "orderkey",
			"--limit", "10", "--no-estimate", "--as", fmt.Sprintf("s%d", i))
		if err != nil {
			return "", err
		}
	}
	return home, nil
}
