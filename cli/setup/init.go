package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/source/lake"
	"github.com/agnes-data/da/source/registry"
)

type initOptions struct {
	file  string
	force bool
}

// NewInitCmd returns 'da init'.
func NewInitCmd(a *app.App) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [folder]",
		Short: "Write an instance file for a folder of data files",
		Long: `Init looks for parquet, CSV and JSON files, for Delta and Iceberg tables, and
for databases of DuckDB and SQLite below a folder. It writes an instance file
with one table for each file, for each folder of files of one kind, and for each
table of a database. What it leaves out is listed, or counted where
many files have one reason: --json lists each. Edit the file as you like
afterwards.`,
		Example: "  da init ./data\n  da init ./data --file mine.yaml && da catalog --instance mine.yaml",
		Args:    usage.AtMostOne("folder", "Put the folder in quotes if its name has spaces."),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			return runInit(cmd.Context(), a, o, folder)
		},
	}
	cmd.Flags().StringVar(&o.file, "file", "instance.yaml", "the instance `file` to write")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace an existing file")
	return cmd
}

// initResult is what da init --json prints.
type initResult struct {
	File    string       `json:"file"`
	Tables  []lake.Found `json:"tables"`
	Skipped []lake.Found `json:"skipped"`
}

func runInit(ctx context.Context, a *app.App, o initOptions, folder string) error {
	format := a.OutputFormat()
	file := a.Absolute(o.file)
	if err := output.CheckTarget(file, o.force); err != nil {
		return err // before a large folder is looked through
	}
	tables, skipped, err := lake.Discover(ctx, a.Absolute(folder))
	var e *api.Error
	if errors.As(err, &e) && e.Hint == "" {
		e.Hint = "Name a folder that is there and that you may read: da init FOLDER."
	}
	if err != nil {
		return err
	}
	tables, unread := thoseRead(ctx, a.Absolute(folder), tables)
	skipped = append(skipped, unread...)
	skipped = slices.DeleteFunc(skipped, func(s lake.Found) bool {
		return a.Absolute(filepath.Join(folder,
			filepath.FromSlash(s.Path))) == file
	})
	for _, s := range skipped {
		for _, step := range s.Next {
			step.Args["path"] = filepath.Join(folder, filepath.FromSlash(step.Text("path")))
		}
	}
	passed := leftOut(skipped)
	if len(tables) == 0 {
		a.Warn(passed)
		return &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("no parquet, CSV or JSON files with data below '%s'", folder),
			Hint: "Name a folder that holds data files: da init FOLDER."}
	}
	text, err := instanceText(filepath.Dir(file), a.Absolute(folder), tables)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(file, []byte(text), 0o644); err != nil {
		return atomicfile.Explain("write the instance file", err)
	}
	for i := range skipped {
		skipped[i].Reason = reasonOf(skipped[i])
	}
	result := initResult{File: file, Tables: tables, Skipped: skipped}
	list := output.List{Columns: []string{"table", "path"}}
	for _, t := range tables {
		place := t.Path
		if t.File != "" {
			place = t.File + ": " + t.Path
		}
		list.Rows = append(list.Rows, []any{t.ID, place})
	}
	if err := a.ShowItems(format, result, list, tables); err != nil || format == output.JSON {
		return err
	}
	a.Warn(passed)
	a.Note(fmt.Sprintf("wrote %s; next: da catalog --instance %s", file, shellwords.Quote(o.file)))
	return nil
}

// thoseRead leaves out the tables that another source reads, and cannot. A database
// becomes its tables.
func thoseRead(ctx context.Context, folder string, found []lake.Found) (tables, unread []lake.Found) {
	open, failed := map[api.SourceType][]string{}, map[string]error{}
	for _, f := range found {
		if f.File == "" && f.Type != "" {
			open[f.Type] = append(open[f.Type], f.Path)
		}
	}
	for typ, names := range open {
		maps.Copy(failed, registry.Try(ctx, typ, folder, names))
	}
	for _, f := range found {
		err := failed[f.Path]
		if f.File != "" {
			var names, views []string
			names, views, err = registry.TablesOf(ctx, f.Type, filepath.Join(folder, filepath.FromSlash(f.File)))
			if err == nil && len(names) == 0 {
				err = errors.New("the database holds no tables; its views are not read")
			} else if len(views) > 0 {
				unread = append(unread, lake.Found{Path: f.File, Reason: "views run what somebody else wrote, so these are not read: " +
					api.Clip(strings.Join(views, ", "), 200) + "; make a table of their rows, by CREATE TABLE … AS SELECT"})
			}
			for _, name := range names {
				tables = append(tables, lake.Found{ID: name, Path: name, File: f.File, Type: f.Type})
			}
		}
		switch {
		case err != nil:
			unread = append(unread, lake.Found{Path: f.Path + f.File, Reason: err.Error()})
		case f.File == "":
			tables = append(tables, f)
		}
	}
	return lake.Named(tables), unread
}

// mostNamed is how many files with one reason are named one by one.
const mostNamed = 10

// leftOut words which files are no tables and why, one line for each. Files that
// share a reason, and what can be done with them, are counted if there are many: a
// folder of programs has thousands of files that hold no data.
func leftOut(skipped []lake.Found) []string {
	alike := func(s lake.Found) string {
		key := s.Reason
		for _, step := range s.Next {
			key += " " + string(step.Action)
		}
		return key
	}
	shared := map[string][]lake.Found{}
	for _, s := range skipped {
		shared[alike(s)] = append(shared[alike(s)], s)
	}
	var lines []string
	for _, s := range skipped {
		switch group := shared[alike(s)]; {
		case len(group) <= mostNamed:
			lines = append(lines, fmt.Sprintf("left out %s: %s", s.Path, reasonOf(s)))
		case s.Path == group[0].Path:
			lines = append(lines, fmt.Sprintf("left out %s files, such as %s: %s; --json lists them", humanize.Grouped(int64(len(group))), s.Path,
				reasonOf(s)))
		}
	}
	return lines
}

// reasonOf is the reason why a file is left out, with how else it can be read. Options are
// those of commands that read one file.
func reasonOf(f lake.Found) string {
	next := slices.DeleteFunc(slices.Clone(f.Next), func(s api.Step) bool { return s.Action == api.ActionSet })
	return exit.Word([]api.Caveat{{Text: f.Reason, Next: next}})[0].Text
}
