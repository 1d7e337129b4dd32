package workfiles

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

func newListCmd(s *workspaceApp) *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use:     "list [pattern]",
		Aliases: []string{"ls"},
		Short:   "List the files of the workspace",
		Long: `List shows the files whose names match a pattern, or all: * and ? stay within a
folder, ** crosses folders, [a-z] is a set. A pattern without / is for the last
part of names, wherever it is. Case does not matter.`,
		Example: "  da files list\n  da files list '*.xlsx'\n  da files list 'reports/**'\n  da files list --deleted",
		Args:    usage.AtMostOne("pattern", "Quote it, so that the shell leaves it alone."),
		RunE: func(cmd *cobra.Command, args []string) error {
			pattern := ""
			if len(args) == 1 {
				pattern = args[0]
			}
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.list(cmd.Context(), w, pattern, deleted) })
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "list deleted files that can be restored")
	return cmd
}

func (s *workspaceApp) list(ctx context.Context, w *workspace.Workspace, pattern string, deleted bool) error {
	list := w.List
	if deleted {
		list = w.Deleted
	}
	files, err := list(ctx, pattern)
	if err != nil {
		return err
	}
	if s.OutputFormat() == output.Table && len(files) == 0 {
		s.Note(map[bool]string{true: "no deleted files", false: "no files; 'da files put PATH' stores one"}[deleted || pattern != ""])
	}
	return s.showFiles(files)
}

func newInfoCmd(s *workspaceApp) *cobra.Command {
	return &cobra.Command{
		Use:     "info <file>",
		Short:   "Show what is known of a file",
		Example: "  da files info budget.xlsx\n  da files info budget.xlsx --json",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.info(cmd.Context(), w, args[0]) })
		},
	}
}

func (s *workspaceApp) info(ctx context.Context, w *workspace.Workspace, ref string) error {
	info, err := content.Describe(ctx, w, ref)
	if err != nil {
		return err
	}
	f := info.File
	facts := output.List{Columns: []string{"field", "value"}, Rows: [][]any{
		{"name", f.Name}, {"id", f.ID}, {"type", f.MIMEType}, {"size", f.Size}, {"version", f.Version}, {"sha256", f.SHA256},
		{"source", f.Source}, {"created", f.CreatedOn.Format("2006-01-02 15:04:05 UTC")},
		{"modified", f.ModifiedOn.Format("2006-01-02 15:04:05 UTC")},
	}}
	if f.Session != nil {
		facts.Rows = append(facts.Rows, []any{"session", *f.Session})
	}
	facts.Rows = append(facts.Rows, inside(info)...)
	return s.ShowItems(s.OutputFormat(), info, facts, info)
}

// inside describes the contents of a file for people.
func inside(info *content.Info) (rows [][]any) {
	add := func(field string, value any) { rows = append(rows, []any{field, value}) }
	switch {
	case info.Problem != "":
		add("problem", info.Problem)
	case info.Lines != nil:
		add("lines", *info.Lines)
	case info.Workbook != nil:
		for _, sheet := range info.Workbook.Sheets {
			add("sheet", fmt.Sprintf("%s (%d rows, %d columns)", sheet.Name, sheet.Rows, sheet.Columns))
			for _, chart := range sheet.Charts {
				add("in "+sheet.Name, chart)
			}
			for _, pivot := range sheet.Pivots {
				add("in "+sheet.Name, "pivot table "+pivot.Name+" at "+pivot.Range)
			}
		}
	case info.Document != nil:
		for _, section := range info.Document.Sections {
			add("section", section.Heading)
		}
	case info.Presentation != nil:
		for _, slide := range info.Presentation.Slides {
			add("slide", slide.Title)
		}
	case info.Picture != nil:
		add("pixels", fmt.Sprintf("%d × %d", info.Picture.Width, info.Picture.Height))
	case info.PDF != nil:
		add("pages", info.PDF.Pages)
		add("title", info.PDF.Title)
		add("form", info.PDF.Form)
		add("scan", info.PDF.Scanned)
	}
	return rows
}
