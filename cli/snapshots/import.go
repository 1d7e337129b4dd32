package snapshots

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/tables"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/table"
)

// ImportOptions say how a file becomes a snapshot.
type ImportOptions struct {
	tables.TableOptions
	Name  string
	Force bool
}

func newSnapshotImportCmd(a *app.App) *cobra.Command {
	var o ImportOptions
	cmd := &cobra.Command{
		Use:   "import <file>",
		Short: "Put a local file or exported folder beside what you have fetched",
		Long: `Import copies the rows of a local file into a snapshot, so that one 'da query'
joins them with fetched data. It reads what 'da table' reads, in the same way;
- is standard input.

A snapshot that was imported stays as it is when the file changes, and cannot
be refreshed: import it again with --force.

A folder that 'da snapshot export' wrote, here or on another machine, becomes
the snapshot that it was, and can be refreshed from the same server.`,
		Example: `  da snapshot import targets.xlsx --sheet 2026 --as targets
  da snapshot import ./exported --as again
  da query "SELECT * FROM late JOIN targets USING (origin)"`,
		Args: usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if snapshot.IsPacked(a.Absolute(args[0])) {
				return runImportFolder(cmd, a, &o, args[0])
			}
			if err := o.NameAfter(args[0]); err != nil {
				return err
			}
			return runImport(cmd.Context(), a, &o, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Name, "as", "", "`name` of the snapshot (default: that of the file)")
	f.BoolVar(&o.Force, "force", false, "replace an existing snapshot of that name")
	o.Declare(a, f)
	o.DeclareTable(f)
	return cmd
}

// NameAfter names the snapshot like the file unless --as has named it.
func (o *ImportOptions) NameAfter(file string) error {
	base := filepath.Base(file)
	if o.Name = cmp.Or(o.Name, api.NameFrom(strings.TrimSuffix(base, filepath.Ext(base)))); o.Name == "" {
		return usage.Error("--as is missing: the name of the snapshot")
	}
	return nil
}

func runImport(ctx context.Context, a *app.App, o *ImportOptions, file string) error {
	if err := api.CheckName("snapshot name", o.Name); err != nil {
		return err
	}
	ts, src, err := tables.OpenTable(a, &o.TableOptions, file)
	if err != nil {
		return err
	}
	defer ts.Close()
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	path, shown := a.Absolute(file), file
	if file == "-" {
		path, shown = file, "standard input"
	}
	progress := a.Progress("importing " + o.Name)
	defer progress.Stop()
	result, err := keep.Import(ctx, work, keep.ImportRequest{
		Name: o.Name, Path: path, Force: o.Force, OnProgress: progress.Set,
		Open: func(ctx context.Context) (*keep.FileRows, error) {
			rows, err := OpenRows(ctx, ts, src)
			if err == nil {
				progress.Expect(rows.Rows)
			}
			return rows, err
		},
	})
	progress.Stop()
	if err != nil {
		return err
	}
	return ShowImported(a, a.OutputFormat(), result, shown)
}

// runImportFolder imports an exported folder. Its rows are typed, so no options
// for reading apply.
func runImportFolder(cmd *cobra.Command, a *app.App, o *ImportOptions, dir string) error {
	var idle string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "as" && f.Name != "force" && cmd.InheritedFlags().Lookup(f.Name) == nil {
			idle = f.Name
		}
	})
	if idle != "" {
		return usage.Error("--" + idle + " says how to read a file, and " + dir + " is a folder")
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	progress := a.Progress("importing " + o.Name)
	result, err := keep.ImportFolder(cmd.Context(), work, a.Absolute(dir), o.Name, o.Force)
	progress.Stop()
	if err != nil {
		return err
	}
	return ShowImported(a, a.OutputFormat(), result, dir)
}

// ShowImported prints what an import has made.
func ShowImported(a *app.App, format output.Format, result *keep.ImportResult, shown string) (err error) {
	a.Tell(result.Caveats...)
	m := result.Snapshot
	if format == output.Table {
		_, err = fmt.Fprintf(a.IO.Out, "%s: %s, %s (imported from %s)\n", m.Name, humanize.Plural(m.Rows, "row", "rows"),
			humanize.Bytes(m.BytesLocal), printable.Line(shown))
		return err
	}
	return a.ShowItems(format, result, output.List{
		Columns: []string{"name", "source", "rows", "size"},
		Rows:    [][]any{{m.Name, result.Source, output.Figure(humanize.Grouped(m.Rows)), output.Figure(humanize.Bytes(m.BytesLocal))}},
	}, m)
}

// OpenRows starts reading all rows of a file.
func OpenRows(ctx context.Context, ts *table.Tables, src table.Source) (*keep.FileRows, error) {
	s, err := ts.Stream(ctx, src)
	if err != nil {
		return nil, err
	}
	return &keep.FileRows{Batches: s.Batches, Rows: s.Rows, Caveats: s.Caveats, Dated: s.Dated, Close: s.Close}, nil
}
