package workfiles

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

func newDiffCmd(s *workspaceApp) *cobra.Command {
	var version int64
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "diff <file> [<other>]",
		Short: "Compare two files, or two versions of one, line by line",
		Long: `Diff compares a file with another one, or with its version before, or with that
of --version. With --draft NAME a single file is compared with what the draft
makes of it. Compared are lines of texts, rows of workbooks with their formulas,
documents and presentations as Markdown, and the text of PDF files. Below the
lines is what they do not show: formats, comments, pictures, names, links.`,
		Example: "  da files diff notes.md --version 1\n  da files diff may.docx june.docx\n  da files diff budget.xlsx --draft plan",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return usage.Exactly("file")(cmd, args)
		},
		ValidArgsFunction: s.completeFile(2, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && version != 0 {
				return usage.Error("--version is one of the file itself, and another file is given")
			}
			return s.withWorkspace(func(w *workspace.Workspace) error {
				before, after, err := s.sides(cmd.Context(), w, args, version)
				if err != nil {
					return err
				}
				c, err := content.Diff(cmd.Context(), w, before, after)
				if err != nil {
					return err
				}
				err = s.showDiff(c)
				if err == nil && exitCode && !c.Equal {
					s.ExitCode = exit.Differs
				}
				return err
			})
		},
	}
	cmd.Flags().Int64Var(&version, "version", 0, "compare this older `version` with the file as it is")
	usage.ExitCode(cmd.Flags(), &exitCode)
	return cmd
}

// sides are the two contents to compare.
func (s *workspaceApp) sides(ctx context.Context, w *workspace.Workspace, args []string,
	version int64) (before, after content.Side, err error) {
	if len(args) == 2 {
		return content.Side{Ref: args[0]}, content.Side{Ref: args[1]}, nil
	}
	f, err := w.Info(ctx, args[0])
	if err != nil {
		return before, after, err
	}
	before, err = s.earlier(ctx, f, version)
	return before, content.Side{Ref: f.ID}, err
}

// earlier is the earlier state of a file: the workspace's if it is in a draft,
// otherwise an older version.
func (s *workspaceApp) earlier(ctx context.Context, f workspace.File, version int64) (content.Side, error) {
	if s.draft != "" && version == 0 {
		all, err := s.Workspace()
		if err == nil {
			f, err = all.Info(ctx, f.ID)
		}
		return content.Side{Ref: f.ID, Version: f.Version}, err
	}
	if version == 0 {
		if version = f.Version - 1; version < 1 {
			return content.Side{}, &api.Error{Code: api.CodeUsage, Message: "'" + f.Name + "' has one version only",
				Hint: "Name another file to compare it with."}
		}
	}
	return content.Side{Ref: f.ID, Version: version}, nil
}

// showDiff prints a comparison.
func (s *workspaceApp) showDiff(c *content.Comparison) error {
	format := s.OutputFormat()
	s.tell(format, false, c.Rest.Caveats)
	text := c.Diff + differencesText(c.Rest)
	if format == output.Table {
		switch {
		case c.Equal:
			s.Note("their texts are equal")
		case c.Diff == "":
			s.Note("their texts are equal, and these differ:")
		}
		_, err := io.WriteString(s.IO.Out, printable.Text(text))
		return err
	}
	return s.Show(format, c, output.List{Columns: []string{"diff"}, Rows: [][]any{{text}}})
}
