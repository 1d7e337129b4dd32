package workfiles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// changed is what da files edit --json prints.
type changed struct {
	File workspace.File `json:"file"`
	// Report says what each operation did.
	Report any `json:"report"`

	caveats []api.Caveat // of the report
}

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
	kind, err := s.kindOf(ctx, w, t)
	if err != nil {
		return err
	}
	var done changed
	switch kind {
	case ".xlsx":
		done, err = apply(ctx, w, t, operations, content.Xlsx)
	case ".docx":
		done, err = apply(ctx, w, t, operations, content.Docx)
	case ".pptx":
		done, err = apply(ctx, w, t, operations, content.Pptx)
	case ".pdf":
		done, err = apply(ctx, w, t, operations, content.Pdf)
	case "image":
		done, err = apply(ctx, w, t, operations, func(ctx context.Context, w *workspace.Workspace, t content.Target,
			ops []image.Operation) (*content.Edited[image.Report], error) {
			return content.Picture(ctx, w, t, "", ops)
		})
	default:
		err = usage.Error(fmt.Sprintf("'%s' is not a workbook, document, presentation, PDF or picture; 'da files replace' changes text", t.File))
	}
	if err != nil {
		return err
	}
	s.noteRemoved(done.File)
	format := s.OutputFormat()
	s.tell(format, false, done.caveats)
	return s.ShowItems(format, done, filesTable(s.App, []workspace.File{done.File}, "edited"), done.File)
}

// kindOf returns the extension of the target, also if it is a new file or an empty one.
func (s *workspaceApp) kindOf(ctx context.Context, w *workspace.Workspace, t content.Target) (string, error) {
	f, err := w.Info(ctx, t.File)
	if api.CodeUnknownFile.Is(err) && t.Create {
		f.Name, err = t.File, nil
	}
	if err == nil && f.Size == 0 {
		return strings.ToLower(path.Ext(f.Name)), nil
	}
	return map[content.Kind]string{content.Sheet: ".xlsx", content.Doc: ".docx", content.Slides: ".pptx", content.PDF: ".pdf",
		content.Image: "image"}[content.KindOf(f)], err
}

// apply reads operations and applies them.
func apply[Op, Report any](ctx context.Context, w *workspace.Workspace, t content.Target, operations []byte,
	edit func(context.Context, *workspace.Workspace, content.Target, []Op) (*content.Edited[Report], error),
) (changed, error) {
	var ops []Op
	if err := json.Unmarshal(operations, &ops); err != nil {
		if e := (*api.Error)(nil); errors.As(err, &e) { // one of the operations
			return changed{}, e
		}
		e := usage.Error("the operations are not a JSON list of operations: " + err.Error())
		e.Hint = `They look like [{"op":"append_paragraph","text":"Hello"}].`
		return changed{}, e
	}
	done, err := edit(ctx, w, t, ops)
	if err != nil {
		return changed{}, err
	}
	return changed{done.File, done.Report, any(done.Report).(reporting).Told("")}, nil
}

// reporting is what all reports of changes are.
type reporting interface {
	Told(file string) []api.Caveat
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
