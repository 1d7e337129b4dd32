package workfiles

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

func newEditCmd(s *workspaceApp) *cobra.Command {
	var operations string
	t := content.Target{}
	cmd := &cobra.Command{
		Use:   "edit <file>",
		Short: "Change a workbook, document, presentation, PDF or picture",
		Long: `Edit applies a list of operations to a file: all of them, or none. They are
JSON, given with --operations or on standard input:
[{"op": "ensure_sheet", "sheet": "May"}]. These are they, with their fields.
` + listed("Workbooks", sheet.Described()) + listed("Documents", docx.Described()) + listed("Presentations", pptx.Described()) +
			listed("PDF files", pdf.Described()) + strings.TrimSuffix(listed("Pictures", image.Described()), "\n"),
		Example: "  da files edit budget.xlsx --operations '[{\"op\":\"ensure_sheet\",\"sheet\":\"May\"}]'\n  da files edit memo.docx --create --operations '[{\"op\":\"append_heading\",\"text\":\"May\"}]'",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			t.File = args[0]
			if !cmd.Flags().Changed("operations") {
				var err error
				if operations, err = s.contentOf(cmd, ""); err != nil {
					return err
				}
			}
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.edit(cmd.Context(), w, t, []byte(operations)) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&operations, "operations", "", "the `list` of operations (default: standard input)")
	f.BoolVar(&t.Create, "create", false, "create the file if it does not exist")
	f.StringVar(&t.Password, "password", "", "`password` of an encrypted PDF, which stays encrypted")
	versionFlag(f, &t.IfVersion)
	return cmd
}

func (s *workspaceApp) edit(ctx context.Context, w *workspace.Workspace, t content.Target, operations []byte) error {
	done, err := content.Operate(ctx, w, t, operations)
	if err != nil {
		return err
	}
	s.noteRemoved(done.File)
	format := s.OutputFormat()
	s.tell(format, false, done.Caveats)
	return s.ShowItems(format, done, filesTable(s.App, []workspace.File{done.File}, "edited"), done.File)
}

// listed writes operations under a heading, in lines that fit help.
func listed(heading string, operations []string) string {
	var b strings.Builder
	b.WriteString("\n" + heading + ":\n")
	for _, o := range operations {
		b.WriteString("  " + wrapped(o, "      ", 76))
	}
	return b.String()
}

// wrapped writes a text in lines of a width; later lines are indented.
func wrapped(text, indent string, width int) string {
	words := strings.Fields(text)
	line := words[0]
	var b strings.Builder
	for _, word := range words[1:] {
		if len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = indent + word
			continue
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
	return b.String()
}
