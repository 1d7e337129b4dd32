package snapshots

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetfile"
)

type exportOptions struct {
	target string
	force  bool
	strict []api.CaveatKind
}

func newSnapshotExportCmd(a *app.App) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export <name>",
		Short: "Write a snapshot to a file, or to a folder for another machine",
		Long: `Export writes all rows of a snapshot to a file, whose name says the format: csv,
tsv, ndjson, json, parquet, arrow, xlsx or md. A target that ends with / becomes
a folder with the rows and the record of where they are from, which 'da snapshot
import' takes on any machine. File and folder appear complete or not at all; a
file is replaced only with --force, and a folder never.`,
		Example: `  da snapshot export late --out late.xlsx
  da snapshot export late --out late.parquet
  da snapshot export late --out ./late/
  da snapshot import ./late --as late_again`,
		Args:              usage.Exactly("name"),
		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.target == "" {
				return usage.Error("--out is missing")
			}
			return runSnapshotExport(cmd.Context(), a, args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.target, "out", "", "`file`, or folder/, to write")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace the file if it exists")
	usage.Strict(cmd.Flags(), &o.strict)
	usage.AlsoCalled(cmd, "out", "target")
	return cmd
}

func runSnapshotExport(ctx context.Context, a *app.App, name string, o exportOptions) error {
	if strings.HasSuffix(o.target, "/") {
		return exportFolder(ctx, a, name, strings.TrimRight(o.target, "/"), o.strict)
	}
	format, ok := output.FormatOf(o.target)
	if !ok {
		e := usage.Error("the name of the target says no format: " + o.target)
		e.Hint = "Name a file such as " + name + ".csv, .xlsx or .parquet, or a folder, " + name + "/."
		return e
	}
	file, err := exportFile(ctx, a, name, format, o)
	if err != nil {
		return err
	}
	return query.ReportFile(a, file)
}

// exportFile writes the rows in the given format.
func exportFile(ctx context.Context, a *app.App, name string, format output.Format, o exportOptions) (query.WrittenFile, error) {
	if err := output.CheckTarget(a.Absolute(o.target), o.force); err != nil {
		return query.WrittenFile{}, err
	}
	work, err := a.Analyst()
	if err != nil {
		return query.WrittenFile{}, err
	}
	meta, err := work.Store.Get(name)
	if err != nil {
		return query.WrittenFile{}, err
	}
	if format == output.Parquet {
		return exportParquet(a, name, o)
	}
	ask, err := query.NewAsker(ctx, a, query.Options{}, 1)
	if err != nil {
		return query.WrittenFile{}, err
	}
	defer ask.Close()
	q, err := ask.Ask(ctx, "SELECT * FROM "+duckdb.Quote(name), query.Carried(format))
	if err != nil {
		return query.WrittenFile{}, err
	}
	defer q.Close()
	q.Progress = a.Progress("exporting " + name)
	q.Progress.Expect(meta.Rows)
	return query.IntoFile(ctx, a, query.Options{Out: o.target, Force: o.force, Strict: o.strict, Started: time.Now()}, q, format)
}

// exportParquet copies the snapshot's data file.
func exportParquet(a *app.App, name string, o exportOptions) (query.WrittenFile, error) {
	work, err := a.Analyst()
	if err != nil {
		return query.WrittenFile{}, err
	}
	links, err := work.Store.Link([]string{name})
	if err != nil {
		return query.WrittenFile{}, err
	}
	defer links.Close()
	caveats := keep.Caveats(work, links.Metas[0])
	if err := api.Refused(caveats, o.strict); err != nil {
		return query.WrittenFile{}, err
	}
	in, err := os.Open(links.Path(name))
	if err != nil {
		return query.WrittenFile{}, err
	}
	defer func() { _ = in.Close() }() // opened for reading only
	info, err := in.Stat()
	if err != nil {
		return query.WrittenFile{}, err
	}
	err = output.CreateFile(a.Absolute(o.target), o.force, func(w io.Writer) error {
		text := api.EncodeCaveats(caveats)
		if text == "" {
			_, err := io.Copy(w, in)
			return err
		}
		return parquetfile.CopyTagged(w, in, info.Size(), api.CaveatsKey, text)
	})
	if err != nil {
		return query.WrittenFile{}, err
	}
	a.Tell(caveats...)
	return query.FileOf(a, o.target, links.Metas[0].Rows, false, caveats)
}

func exportFolder(ctx context.Context, a *app.App, name, target string, strict []api.CaveatKind) error {
	if info, err := os.Stat(filepath.Dir(a.Absolute(target))); err != nil || !info.IsDir() {
		return &api.Error{Code: api.CodeNotWritable, Message: fmt.Sprintf("there is no folder '%s'", filepath.Dir(target)),
			Hint: "Make it first.", Err: err}
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	meta, err := work.Store.Get(name)
	if err != nil {
		return err
	}
	if err := api.Refused(keep.Caveats(work, meta), strict); err != nil {
		return err
	}
	meta, err = work.Store.Pack(ctx, name, a.Absolute(target))
	if err != nil {
		return err
	}
	caveats := keep.Caveats(work, meta)
	a.Tell(caveats...)
	return query.ReportFile(a, query.WrittenFile{Path: target, Rows: meta.Rows, Bytes: meta.BytesLocal, Caveats: exit.Word(caveats)})
}
