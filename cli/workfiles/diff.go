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

// difference is what da files diff --json prints.
type difference struct {
	Before workspace.File `json:"before"`
	After  workspace.File `json:"after"`
	Equal  bool           `json:"equal" jsonschema:"nothing differs"`
	Diff   string         `json:"diff" jsonschema:"a unified diff of their lines"`
	// Rest is what the lines do not show: formats, comments, pictures, links.
	Rest content.Differences `json:"rest"`
}

func newDiffCmd(s *space) *cobra.Command {
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
			return s.with(func(w *workspace.Workspace) error {
				before, after, err := s.sides(cmd.Context(), w, args, version)
				if err != nil {
					return err
				}
				defer before.Close()
				defer after.Close()
				equal, err := s.showDiff(cmd.Context(), before, after)
				if err == nil && exitCode && !equal {
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

// sides opens the two contents to compare.
func (s *space) sides(ctx context.Context, w *workspace.Workspace, args []string, version int64) (before, after *workspace.Content, err error) {
	switch {
	case len(args) == 2:
		if before, err = w.Open(ctx, args[0]); err != nil {
			return nil, nil, err
		}
		after, err = w.Open(ctx, args[1])
	default:
		if after, err = w.Open(ctx, args[0]); err != nil {
			return nil, nil, err
		}
		before, err = s.earlier(ctx, w, after.Of, version)
	}
	if err == nil {
		return before, after, nil
	}
	for _, c := range []*workspace.Content{before, after} {
		if c != nil {
			c.Close()
		}
	}
	return nil, nil, err
}

// earlier opens the earlier state of a file: the workspace's if it is in a draft,
// otherwise an older version.
func (s *space) earlier(ctx context.Context, w *workspace.Workspace, f workspace.File, version int64) (*workspace.Content, error) {
	if s.draft != "" && version == 0 {
		all, err := s.Workspace()
		if err != nil {
			return nil, err
		}
		return all.Open(ctx, f.ID)
	}
	if version == 0 {
		if version = f.Version - 1; version < 1 {
			return nil, &api.Error{Code: api.CodeUsage, Message: "'" + f.Name + "' has one version only", Hint: "Name another file to compare it with."}
		}
	}
	return w.OpenVersion(ctx, f.ID, version)
}

// showDiff prints the comparison, and reports whether nothing differs.
func (s *space) showDiff(ctx context.Context, before, after *workspace.Content) (equal bool, err error) {
	format, err := s.OutputFormat()
	if err != nil {
		return false, err
	}
	text, rest, err := content.Diff(ctx, before, after)
	if err != nil {
		return false, err
	}
	equal = text == "" && len(rest.Changes) == 0
	s.tell(format, false, rest.Caveats)
	if format == output.Table {
		switch {
		case text == "" && len(rest.Changes) > 0:
			s.Note("their texts are equal, and these differ:")
		case text == "":
			s.Note("their texts are equal")
		}
		_, err := io.WriteString(s.IO.Out, printable.Text(text+differencesText(rest)))
		return equal, err
	}
	return equal, s.Show(format, difference{before.Of, after.Of, equal, text, rest}, output.List{Columns: []string{"diff"}, Rows: [][]any{{text + differencesText(rest)}}})
}
