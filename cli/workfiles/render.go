package workfiles

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

type renderOptions struct {
	content.RenderRequest
	to    string
	force bool
}

func newRenderCmd(s *workspaceApp) *cobra.Command {
	var o renderOptions
	var slide int
	cmd := &cobra.Command{
		Use:   "render <file>",
		Short: "Draw a page, sheet or slide as a picture, or a file as PDF",
		Long: `Render shows how a workbook, document, presentation or PDF file looks: as a PNG
of one page, or with --out FILE.pdf as a PDF of all. LibreOffice draws office
files, without network and with no file but a copy of this one; it must be
installed. A workbook's sheet is one picture; with --page it is a printed page.`,
		Example: "  da files render report.pdf --page 2\n  da files render budget.xlsx --sheet May --out may.png\n  da files render talk.pptx --slide 3\n  da files render talk.pptx --out talk.pdf",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slide != 0 {
				o.Page = slide
			}
			if o.Page < 0 {
				return usage.Error("pages and slides are counted from 1")
			}
			return s.withWorkspace(func(w *workspace.Workspace) error { return s.render(cmd.Context(), w, args[0], o) })
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Page, "page", 0, "`number` of the page, from 1 (default 1)")
	f.IntVar(&slide, "slide", 0, "`number` of the slide, from 1 (default 1)")
	f.StringVar(&o.Sheet, "sheet", "", "`name` of the sheet (default: the first that is shown)")
	f.IntVar(&o.Side, "side", 0, fmt.Sprintf("`pixels` of the longer side, at most %d (default 1600)", pdf.MaxSide))
	f.StringVar(&o.Password, "password", "", "`password` of an encrypted PDF")
	f.StringVar(&o.to, "out", "", "`path` to write: .png or .pdf (default: the file's name and the page's, .png)")
	f.BoolVar(&o.force, "force", false, "replace the target if it exists")
	usage.Exclusive(cmd, "page", "slide")
	usage.Exclusive(cmd, "page", "sheet")
	usage.Exclusive(cmd, "slide", "sheet")
	return cmd
}

func (s *workspaceApp) render(ctx context.Context, w *workspace.Workspace, ref string, o renderOptions) error {
	switch strings.ToLower(path.Ext(o.to)) {
	case ".pdf":
		o.PDF = true
	case ".png", "":
	default:
		return usage.Error("--out ends with .png or .pdf")
	}
	dir, err := os.MkdirTemp("", "da-render")
	if err != nil {
		return fmt.Errorf("make a folder to draw in: %w", err)
	}
	defer os.RemoveAll(dir)
	done, err := content.Render(ctx, w, ref, o.RenderRequest, dir)
	if err != nil {
		return err
	}
	if o.to == "" {
		part := fmt.Sprint(done.Page)
		if done.Sheet != "" {
			part = strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) || r == ' ' || r == '-' {
					return r
				}
				return '_'
			}, done.Sheet)
		}
		base := path.Base(done.File)
		o.to = strings.TrimSuffix(base, path.Ext(base)) + "-" + part + ".png"
	}
	target := s.Absolute(o.to)
	err = output.CreateFile(target, o.force, func(out io.Writer) error {
		in, err := os.Open(done.Path)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(out, in)
		return err
	})
	if err != nil {
		return err
	}
	done.Path = target
	list := output.List{Columns: []string{"path", "name", "version", "pages"}, Rows: [][]any{{target, done.File, done.Version, done.Pages}}}
	return s.ShowItems(s.OutputFormat(), done, list, done)
}
