// Command files measures the commands for large files: a text, workbooks, a
// photograph. Each command is a process of its own, from fork to exit, with files
// in a workspace of its own; vipsthumbnail runs beside it if it is installed.
//
// It must not be used as a test: it asserts nothing, and its figures belong to
// the machine that it runs on.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/agnes-data/da/internal/bench/process"
)

func main() {
	da := flag.String("da", "bin/da", "the binary to measure")
	runs := flag.Int("runs", 5, "runs of each command; the median is shown")
	into := flag.String("generate", "", "only write the files into this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *da, *runs, *into)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// task is a command over one of the files.
type task struct {
	name string
	args []string
}

func run(ctx context.Context, da string, runs int, into string) error {
	if into != "" {
		return generate(into)
	}
	da, err := filepath.Abs(da)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "da-bench-files-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("DA_HOME", filepath.Join(dir, "home")); err != nil {
		return err
	}
	if err := generateApart(ctx, dir); err != nil {
		return err
	}
	if err := process.Uncached(da); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"config", "set", "files.max_file_mb", "200"}, {"config", "set", "files.max_total_mb", "20000"},
		{"files", "put", filepath.Join(dir, "text.txt"), filepath.Join(dir, "large.xlsx"), filepath.Join(dir, "book.xlsx"),
			filepath.Join(dir, "photo.jpg")},
	} {
		if _, err := measure(ctx, da, args); err != nil {
			return err
		}
	}
	fmt.Printf("%-44s %8s %8s %9s\n", "command", "wall s", "cpu s", "peak MB")
	for _, t := range tasks() {
		if err := show(ctx, t.name, da, runs, t.args); err != nil {
			return err
		}
	}
	vips, err := exec.LookPath("vipsthumbnail")
	if err != nil {
		fmt.Println("left out, not installed: vipsthumbnail")
		return nil
	}
	return show(ctx, "vipsthumbnail: the same", vips, runs,
		[]string{filepath.Join(dir, "photo.jpg"), "-s", "1600x", "-o", filepath.Join(dir, "small.jpg")})
}

// generateApart writes the files in a process of its own. Linux counts the peak
// memory of a process that starts another one for the other one, too, so this one
// must stay small.
func generateApart(ctx context.Context, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-generate", dir)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func tasks() []task {
	type set struct {
		Cell  string `json:"cell"`
		Value int    `json:"value"`
	}
	var cells []set
	for i := range 1000 {
		cells = append(cells, set{fmt.Sprintf("C%d", 2+i*bookRows/1000), i})
	}
	operations, err := json.Marshal([]any{map[string]any{"op": "set_cells", "cells": cells}})
	if err != nil {
		panic(err) // plain values
	}
	return []task{
		{"version", []string{"version"}},
		{"files read, 10 lines of 50 MB", []string{"files", "read", "text.txt", "--lines", "500000-500010"}},
		{"files search, 50 MB, a text", []string{"files", "search", "nowhere", "text.txt"}},
		{"files search, 50 MB, an expression", []string{"files", "search", `line.*\b77777 of`, "text.txt"}},
		{"files search, 50 MB, no text in all matches", []string{"files", "search", `[xyz]{3}|[0-9]{9}`, "text.txt"}},
		{"files search, 50 MB, either case", []string{"files", "search", "-i", "NOWHERE", "text.txt"}},
		{"files read, first rows of 100 MB of .xlsx", []string{"files", "read", "large.xlsx", "--range", "A1:H20"}},
		{"files edit, 1,000 cells in 20 MB of .xlsx", []string{"files", "edit", "book.xlsx", "--operations", string(operations)}},
		{"files image resize, 24 megapixels", []string{"files", "image", "resize", "photo.jpg", "--width", "1600", "--output-name", "small.jpg"}},
	}
}

// show prints the medians of some runs. What a run has made is deleted.
func show(ctx context.Context, name, program string, runs int, args []string) error {
	var all []process.Sample
	for range runs {
		s, err := measure(ctx, program, args)
		if err != nil {
			return err
		}
		all = append(all, s)
		if slices.Contains(args, "--output-name") {
			if _, err := measure(ctx, program, []string{"files", "delete", "small.jpg", "--forever"}); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%-44s %8.2f %8.2f %9.0f\n", name, process.Median(all, process.Wall).Seconds(),
		process.Median(all, process.CPU).Seconds(), float64(process.Median(all, process.Peak))/1e6)
	return nil
}

func measure(ctx context.Context, program string, args []string) (process.Sample, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return process.Sample{}, fmt.Errorf("%s %.200s: %w\n%s", filepath.Base(program), args, err, out)
	}
	return process.Finished(cmd, time.Since(start)), nil
}
