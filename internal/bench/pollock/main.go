// Command pollock writes each file of the benchmark Pollock as plain CSV, as da reads
// it, for score.py, which counts with the measures of the benchmark itself.
//
// It asserts nothing, and is no test: the benchmark is not in the repository.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/table"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pollock FOLDER RESULTS")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, results string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.csv"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pollock")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder for temporary files
	tables, err := table.New(table.Config{Dir: dir})
	if err != nil {
		return err
	}
	defer tables.Close()
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	for _, path := range files {
		to := filepath.Join(results, filepath.Base(path)+"_converted.csv")
		if err := export(ctx, tables, path, to); err != nil {
			fmt.Printf("%s: %v\n", filepath.Base(path), err)
			if err := os.WriteFile(to, []byte("Application Error\n"), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// export writes all columns as the text that the file has.
func export(ctx context.Context, tables *table.Tables, path, to string) error {
	source := table.Source{Path: path}
	about, err := tables.Map(ctx, table.MapRequest{Source: source})
	if err != nil {
		return err
	}
	source.Types = map[string]string{}
	for _, c := range about.Columns {
		source.Types[c.Name] = "string"
	}
	_, err = tables.Export(ctx, table.ExportRequest{Source: source, TargetPath: to, NoMadeUpNames: true, Force: true})
	return err
}
