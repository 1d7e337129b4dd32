package workfiles

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
	"github.com/agnes-data/da/workspace/text"
)

type readOptions struct {
	content.ReadRequest
	lines  string
	slide  int
	strict []api.CaveatKind
}

func newReadCmd(s *workspaceApp) *cobra.Command {
	var o readOptions
	cmd := &cobra.Command{
		Use:   "read <file>",
		Short: "Print a part of a file: lines, cells, pages, a section or a slide",
		Long: `Read prints lines of a text, cells of a workbook, pages of a PDF, or a document
or presentation as Markdown. 'da files info' lists sheets, sections and slides.`,
		Example: "  da files read notes.md --lines 1-20\n  da files read budget.xlsx --range A1:B5",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("slide") {
				o.Slide = &o.slide
			}
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.read(cmd.Context(), w, args[0], o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.lines, "lines", "", "`range` of lines, as in 10-20 or 10-")
	f.StringVar(&o.Sheet, "sheet", "", "`name` of a workbook's sheet (default: the first)")
	f.StringVar(&o.Range, "range", "", "`range` of cells, as in A1:D50")
	f.StringVar(&o.Section, "section", "", "`heading` or index of a document's section")
	f.IntVar(&o.slide, "slide", 0, "`index` of a slide, from 0")
	f.StringVar(&o.Pages, "pages", "", "`range` of a PDF's pages, as in 1-5,8")
	f.StringVar(&o.Password, "password", "", "`password` of an encrypted PDF")
	encodingFlag(f, &o.Encoding)
	usage.Strict(f, &o.strict)
	f.IntVar(&o.MaxBytes, "max-bytes", text.DefaultMaxBytes, "most `bytes` to print")
	return cmd
}

func (s *workspaceApp) read(ctx context.Context, w *workspace.Workspace, ref string, o readOptions) error {
	if o.lines != "" {
		start, end, err := lineRange(o.lines)
		if err != nil {
			return err
		}
		if o.LineStart = start; end > 0 {
			o.LineCount = end - start + 1
		}
	}
	r, err := content.Read(ctx, w, ref, o.ReadRequest)
	if err != nil {
		return err
	}
	format := s.OutputFormat()
	if err := api.Refused(r.Caveats, o.strict); err != nil {
		return err
	}
	for i := range r.Caveats {
		if r.Caveats[i].Reason == content.ReasonMaxBytes {
			r.Caveats[i].Text += "; --max-bytes shows more"
		}
	}
	s.tell(format, false, r.Caveats)
	if r.Cells == nil && r.Text == nil && format == output.Table {
		return s.plain(format, r, r.Words())
	}
	if r.Text != nil {
		return s.showPages(format, r, r.Text.Pages)
	}
	list := output.List{Columns: []string{"content"}, Rows: [][]any{{r.Words()}}}
	if r.Cells != nil {
		list = cellsTable(r.Cells.Values)
	}
	return s.Show(format, r, list)
}

// cellsTable prints cells below their column letters.
func cellsTable(rows [][]any) output.List {
	list := output.List{}
	for _, row := range rows {
		for len(list.Columns) < len(row) {
			list.Columns = append(list.Columns, "c"+strconv.Itoa(len(list.Columns)+1))
		}
	}
	for _, row := range rows {
		list.Rows = append(list.Rows, append(row, make([]any, len(list.Columns)-len(row))...))
	}
	return list
}

// lineRange reads a range such as 10-20, 10- or 10.
func lineRange(arg string) (start, end int64, err error) {
	first, last, ranged := strings.Cut(arg, "-")
	start, err = strconv.ParseInt(first, 10, 64)
	end = start
	if ranged && err == nil {
		if end = 0; last != "" {
			end, err = strconv.ParseInt(last, 10, 64)
		}
	}
	if err != nil || start < 1 || end != 0 && end < start {
		return 0, 0, usage.Error("--lines takes a range such as 10-20, 10- or 10")
	}
	return start, end, nil
}

// encodingFlag adds --encoding, for texts whose encoding is not recognised.
func encodingFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "encoding", "", "`name` of the text's encoding (default: detected)")
}

// contentFlag adds --content; its default is standard input.
func contentFlag(f *pflag.FlagSet, given *string) {
	f.StringVar(given, "content", "", "the `text` (default: standard input)")
}

// contentOf returns the new text of a change.
func (s *workspaceApp) contentOf(cmd *cobra.Command, given string) (string, error) {
	if cmd.Flags().Changed("content") {
		return given, nil
	}
	data, err := io.ReadAll(io.LimitReader(s.IO.In, workspace.DefaultMaxFile+1))
	if err != nil {
		return "", &api.Error{Code: api.CodeReadFailed, Message: "cannot read standard input: " + err.Error(), Err: err}
	}
	if len(data) > workspace.DefaultMaxFile {
		return "", workspace.TooLarge(workspace.DefaultMaxFile)
	}
	return string(data), nil
}

// textCommand completes a command that changes the text of a file.
func (s *workspaceApp) textCommand(cmd *cobra.Command,
	change func(ctx context.Context, w *workspace.Workspace, t content.Target, text string) error) *cobra.Command {
	var given string
	var t content.Target
	cmd.Args = usage.Exactly("file")
	cmd.ValidArgsFunction = s.completeFile(1, (*workspace.Workspace).List)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, err := s.contentOf(cmd, given)
		if err != nil {
			return err
		}
		return s.withWorkspace(func(w *workspace.Workspace) error {
			t.File = args[0]
			return change(cmd.Context(), w, t, text)
		})
	}
	contentFlag(cmd.Flags(), &given)
	versionFlag(cmd.Flags(), &t.IfVersion)
	encodingFlag(cmd.Flags(), &t.Encoding)
	return cmd
}

func newWriteCmd(s *workspaceApp) *cobra.Command {
	return s.textCommand(&cobra.Command{
		Use:     "write <file>",
		Short:   "Write the text of a file, or make a new one",
		Long:    "Write replaces all of a file's text; its encoding and line ends stay.",
		Example: "  echo hello | da files write hello.txt\n  da files write todo.md --content '# To do'",
	}, func(ctx context.Context, w *workspace.Workspace, t content.Target, text string) error {
		f, err := content.WriteText(ctx, w, t, text)
		if err != nil {
			return err
		}
		return s.showFile("written", f)
	})
}

func newReplaceCmd(s *workspaceApp) *cobra.Command {
	var lines string
	cmd := s.textCommand(&cobra.Command{
		Use:     "replace <file>",
		Short:   "Replace lines of a text file",
		Long:    "Replace puts a text in the place of --lines; an empty one removes them.",
		Example: "  da files replace notes.md --lines 1 --content '# News'",
	}, func(ctx context.Context, w *workspace.Workspace, t content.Target, text string) error {
		start, end, err := lineRange(lines)
		if err != nil || end == 0 {
			return usage.Error("--lines takes a range such as 10-20 or 10")
		}
		return s.editLines(ctx, w, t, content.Lines{Start: start, End: end}, text)
	})
	cmd.Flags().StringVar(&lines, "lines", "", "`range` of lines, as in 10-20")
	return cmd
}

func newInsertCmd(s *workspaceApp) *cobra.Command {
	var after int64
	cmd := s.textCommand(&cobra.Command{
		Use:     "insert <file>",
		Short:   "Insert lines into a text file",
		Example: "  da files insert notes.md --after 1 --content 'second line'",
	}, func(ctx context.Context, w *workspace.Workspace, t content.Target, text string) error {
		return s.editLines(ctx, w, t, content.Lines{Start: after, Insert: true}, text)
	})
	cmd.Flags().Int64Var(&after, "after", 0, "the `line` to insert behind; 0 is the top")
	return cmd
}

func (s *workspaceApp) editLines(ctx context.Context, w *workspace.Workspace, t content.Target, l content.Lines, text string) error {
	edited, err := content.EditLines(ctx, w, t, l, text)
	if err != nil {
		return err
	}
	s.noteRemoved(edited.File)
	list := output.List{Columns: []string{"name", "version", "lines"},
		Rows: [][]any{{edited.File.Name, edited.File.Version, edited.TotalLines}}}
	return s.ShowItems(s.OutputFormat(), edited, list, edited)
}

func newSearchCmd(s *workspaceApp) *cobra.Command {
	var o text.SearchOptions
	cmd := &cobra.Command{
		Use:     "search <pattern> <file>",
		Short:   "Find the lines of a text file that match a regular expression",
		Example: "  da files search 'No.*' notes.md",
		Args:    usage.Exactly("pattern", "file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Pattern = args[0]
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.search(cmd.Context(), w, args[1], o) })
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.IgnoreCase, "ignore-case", "i", false, "find upper and lower case")
	f.IntVarP(&o.Context, "context", "C", 0, "`lines` to show before and after each match, at most 20")
	encodingFlag(f, &o.Encoding)
	f.IntVar(&o.Max, "max", text.DefaultMatches, "most `matches` to show")
	return cmd
}

func (s *workspaceApp) search(ctx context.Context, w *workspace.Workspace, ref string, o text.SearchOptions) error {
	found, err := content.Search(ctx, w, ref, o)
	if err != nil {
		return err
	}
	format := s.OutputFormat()
	if found.Truncated && format != output.JSON {
		s.Warn([]string{fmt.Sprintf("%d of %d matching lines are shown; --max shows more", len(found.Matches), found.Total)})
	}
	list := output.List{Columns: []string{"line", "content"}}
	for _, m := range found.Matches {
		for i, line := range m.Before {
			list.Rows = append(list.Rows, []any{m.Line - int64(len(m.Before)-i), line})
		}
		list.Rows = append(list.Rows, []any{m.Line, m.Content})
		for i, line := range m.After {
			list.Rows = append(list.Rows, []any{m.Line + int64(i) + 1, line})
		}
	}
	return s.ShowItems(format, found, list, found.Matches)
}
