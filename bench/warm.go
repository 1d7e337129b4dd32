package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
