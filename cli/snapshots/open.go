package snapshots

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/plan"
	statements "github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table/render"
)

// openedFor is how long files for other programs are kept, since there is no way
// to know when a program has read one.
const openedFor = 24 * time.Hour

// openable lists the formats that da open can pass to a program.
var openable = []string{"csv", "xlsx", "parquet"}

// NewOpenCmd returns 'da open'.
func NewOpenCmd(a *app.App) *cobra.Command {
	format := "csv"
	cmd := &cobra.Command{
		Use:   "open <name>",
		Short: "Open a snapshot in the system's program for spreadsheets",
		Long: `Open writes a snapshot to a file below the home of da and hands it to the
program that the desktop opens such files with. The file is a copy: what the
program changes in it does not reach the snapshot. It is removed by a later
'da open' after a day.

In CSV, texts that a spreadsheet would run as formulas get ' in front.`,
		Example:           "  da open late\n  da open late --format xlsx",
		Args:              usage.Exactly("name"),
		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(openable, format) {
				return usage.Error("--format is one of " + strings.Join(openable, ", "))
			}
			return runOpen(cmd.Context(), a, args[0], format)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "`format` of the file: csv, xlsx or parquet")
	complete.Offer(cmd, "format", func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return usage.Starting(word, openable), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func runOpen(ctx context.Context, a *app.App, name, format string) error {
	if err := api.CheckName("snapshot name", name); err != nil {
		return err
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	file := filepath.Join(work.Home, "open", name+"."+format)
	opener := a.Opener(ctx, file)
	if opener == nil {
		e := usage.Error("there is no desktop here that could open a file")
		e.Hint = "Write it with 'da snapshot export " + name + " --out " + name + "." + format + "'."
		return e
	}
	written, err := writeToOpen(ctx, a, name, file, output.Format(format))
	if err != nil {
		return err
	}
	if err := opener.Run(); err != nil {
		return NotOpened(file, err)
	}
	return query.ReportFile(a, written)
}

// NotOpened is the error for a file that the desktop did not open.
func NotOpened(file string, err error) error {
	return &api.Error{Code: api.CodeUnexpected, Kind: api.KindOpener, Message: "the desktop could not open " + file + ": " + err.Error(),
		Hint: "The file is complete; open it by hand.", Details: map[string]any{"path": file}, Err: err}
}

// writeToOpen writes the copy for another program.
func writeToOpen(ctx context.Context, a *app.App, name, file string, format output.Format) (query.WrittenFile, error) {
	if err := ClearOpened(a, filepath.Dir(file)); err != nil {
		return query.WrittenFile{}, err
	}
	if format != output.CSV {
		return exportFile(ctx, a, name, format, exportOptions{target: file, force: true})
	}
	return safeCSV(ctx, a, name, file)
}

// ClearOpened creates the folder of such copies, and removes old ones.
func ClearOpened(a *app.App, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return atomicfile.Explain("make a folder for files to open", err)
	}
	old, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range old {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && a.Now().Sub(info.ModTime()) > openedFor {
			_ = os.Remove(path) // the next run tries again
		}
	}
	return nil
}

// safeCSV writes a snapshot as CSV that a spreadsheet does not execute as
// formulas.
func safeCSV(ctx context.Context, a *app.App, name, file string) (query.WrittenFile, error) {
	work, err := a.Analyst()
	if err != nil {
		return query.WrittenFile{}, err
	}
	q, err := statements.Run(ctx, work, "SELECT * FROM "+duckdb.Quote(name), true, plan.Brief)
	if err != nil {
		return query.WrittenFile{}, err
	}
	defer q.Close()
	var done render.Written
	err = atomicfile.Write(file, 0o600, func(w io.Writer) (err error) {
		done, err = render.Write(ctx, w, q.Rows(), render.Options{Format: render.CSV, BOM: true, EscapeFormulas: true})
		return err
	})
	if err != nil {
		return query.WrittenFile{}, atomicfile.Explain("write "+file, err)
	}
	a.Tell(done.Caveats...)
	return query.FileOf(a, file, done.Rows, false, done.Caveats)
}
