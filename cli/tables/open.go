package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/table/intake"
)

// TableOptions are the flags shared by all commands on local files: how to read
// the file.
type TableOptions struct {
	Root   string
	source table.Source
	types  []string
}

func (o *TableOptions) Declare(a *app.App, f *pflag.FlagSet) {
	s := &o.source
	f.StringVar(&o.Root, "root", a.Getenv(config.EnvRoot), "refuse paths outside this `folder` (DA_ROOT)")
	f.StringVar(&s.Delimiter, "delimiter", "", `field separator; \t is a tab (default: detected)`)
	f.StringVar(&s.Encoding, "encoding", "", "`name` of the text's encoding (default: detected)")
	f.BoolVar(&s.NoHeader, "no-header", false, "the first row is data")
	f.IntVar(&s.HeaderLine, "header-line", 0, "`number` of the line, or of a sheet's row, that names the columns (default: detected)")
	f.StringVar(&s.DateFormat, "date-format", "", "how to read ambiguous dates, as an `order`: D/M/Y, M/D/Y, Y-M-D or YYYYMMDD")
	f.StringArrayVar(&o.types, "types", nil, "`column=type` of a column; may be given again")
	f.StringVar(&s.Sheet, "sheet", "", "`name` or number of a sheet, or name of a database's table")
	f.StringVar(&s.Range, "range", "", "`range` of a sheet's cells, as in B2:F100")
	f.IntVar(&s.Page, "page", 0, "`number` of a page of a PDF, whose table is read")
	f.BoolVar(&s.Strict, "strict", false, "fail if a row or cell does not fit the rest")
}

// DeclareTable adds the flag for the number of a table, which some commands have of
// their own.
func (o *TableOptions) DeclareTable(f *pflag.FlagSet) {
	f.IntVar(&o.source.Table, "table", 0, "`number` of the table, if there are several")
}

// timeoutFlag adds --timeout to a command, and a check of its value.
func timeoutFlag(cmd *cobra.Command, most *time.Duration, standard time.Duration, about string) {
	cmd.Flags().DurationVar(most, "timeout", standard, about)
	usage.Check(cmd, func() error {
		if *most <= 0 && *most != standard {
			return usage.Error("--timeout must be more than nothing")
		}
		return nil
	})
}

const (
	takeMost      = "most `time` to take"
	takeMostShown = takeMost + "; all rows take any time by default"
)

// sourceAt returns the source for a path, with the flags applied.
func (o *TableOptions) sourceAt(path string) (table.Source, error) {
	s := o.source
	s.Path = path
	if s.Delimiter = intake.Unescaped(s.Delimiter); len(s.Delimiter) > intake.MaxDelimiter {
		return s, usage.Error("--delimiter is too long to be one")
	}
	for _, t := range o.types {
		column, typ, ok := cutLast(t, "=")
		if !ok || column == "" || typ == "" {
			return s, usage.Error("--types takes column=type, as in amount=decimal(12,2)")
		}
		if s.Types == nil {
			s.Types = map[string]string{}
		}
		s.Types[column] = typ
	}
	return s, nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// OpenTable opens the local tables, and returns the source for a path.
func OpenTable(a *app.App, o *TableOptions, path string) (*table.Tables, table.Source, error) {
	src, err := o.sourceAt(path)
	if err != nil {
		return nil, src, err
	}
	home, err := a.Places().Data()
	if err != nil {
		return nil, src, err
	}
	ts, err := table.New(table.Config{
		Dir: filepath.Join(home, "tabular"), Root: o.Root, WorkDir: a.Dir, Stdin: a.IO.In, Now: a.Now,
	})
	return ts, src, err
}

// namedSources parses NAME=PATH pairs. The flags for reading do not apply to
// them. A number is that of the table to read of the file itself.
func (o *TableOptions) namedSources(pairs []string) (map[string]table.Source, error) {
	out := map[string]table.Source{}
	for _, p := range pairs {
		if n, err := strconv.Atoi(p); err == nil {
			o.source.Table = n
			continue
		}
		name, path, ok := strings.Cut(p, "=")
		if !ok || name == "" || path == "" {
			return nil, usage.Error("--table takes name=path, as in --table b=b.xlsx, or the number of a table of the file")
		}
		path, sheet, _ := strings.Cut(path, "#")
		s := table.Source{Path: path}
		s.Sheet = sheet
		out[strings.ToLower(name)] = s
	}
	return out, nil
}

// cells converts JSON values to those of lists.
func cells(rows [][]json.RawMessage) [][]any {
	out := make([][]any, len(rows))
	for i, r := range rows {
		out[i] = make([]any, len(r))
		for j, v := range r {
			out[i][j] = cellValue(v)
		}
	}
	return out
}

func cellValue(v json.RawMessage) any {
	if len(v) == 0 {
		return nil
	}
	if v[0] == '{' || v[0] == '[' {
		return string(v)
	}
	dec := json.NewDecoder(bytes.NewReader(v))
	dec.UseNumber()
	var x any
	if dec.Decode(&x) != nil {
		return string(v)
	}
	return x
}

// showTable prints an answer of a table command with its warnings: as a field in
// JSON, otherwise on stderr. People get list; formats for programs get the
// records of items, or list if items is nil.
func showTable(a *app.App, v any, list output.List, items any, warnings []api.Caveat) error {
	format := a.OutputFormat()
	exit.Word(warnings) // v contains them, too
	if format != output.JSON {
		a.Tell(warnings...)
	}
	if items == nil {
		return a.Show(format, v, list)
	}
	return a.ShowItems(format, v, list, items)
}

// completeFileColumns suggests columns of the file in the first argument.
func completeFileColumns(a *app.App, o *TableOptions) complete.Completer {
	return func(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		if len(args) == 0 {
			return nil, directive
		}
		ctx, cancel := context.WithTimeout(a.Ctx, a.CompletionWait)
		defer cancel()
		tables, src, err := OpenTable(a, o, args[0])
		if err != nil {
			return nil, directive
		}
		defer tables.Close()
		m, err := tables.Describe(ctx, table.DescribeRequest{Source: src})
		if err != nil {
			return nil, directive
		}
		columns := make([]api.Column, len(m.Columns))
		for i, c := range m.Columns {
			columns[i] = api.Column{Name: c.Name, Type: c.InferredType}
		}
		return complete.StartingColumns(word, columns), directive
	}
}
