package content

import (
	"context"
	"io"
	"time"

	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/workspace"
)

// FillReport fills the placeholders of a template of the workspace: the report is the
// next version of the file. Statements run in this process, whatever decodes the
// template.
func FillReport(ctx context.Context, w *workspace.Workspace, ref string, from reports.Source,
	receipt bool) (*Edited[reports.Report], error) {
	all, err := placeholders(ctx, w, ref)
	if err != nil {
		return nil, err
	}
	answers, err := reports.Ask(ctx, extension(ref), all, from)
	if err != nil {
		return nil, err
	}
	return fill(ctx, w, fillIn{ref, answers, !receipt})
}

func placeholders(ctx context.Context, w *workspace.Workspace, ref string) ([]reports.Placeholder, error) {
	if w.IsApart() {
		return Elsewhere[[]reports.Placeholder](ctx, w, jobPlaceholders, ref)
	}
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return reports.Read(extension(ref), c, c.Of.Size)
}

type fillIn struct {
	Ref     string          `json:"ref"`
	Answers reports.Answers `json:"answers"`
	// Plain leaves the receipt out.
	Plain bool `json:"plain,omitempty"`
}

func fill(ctx context.Context, w *workspace.Workspace, in fillIn) (*Edited[reports.Report], error) {
	if w.IsApart() {
		return Elsewhere[*Edited[reports.Report]](ctx, w, jobFill, in)
	}
	out := &Edited[reports.Report]{}
	var err error
	out.File, err = w.Edit(ctx, in.Ref, 0, func(old *workspace.Content, to io.Writer) (err error) {
		answers, at := in.Answers, w.Now()
		if in.Plain {
			at = time.Time{}
		}
		out.Report, err = reports.Fill(ctx, extension(in.Ref), old, old.Of.Size, to, &answers, at)
		return err
	})
	return out, err
}

// Figures reads what the receipts of a file say, and what became of the figures since
// they were written.
func Figures(ctx context.Context, w *workspace.Workspace, ref string) (*figures.Read, error) {
	if w.IsApart() {
		return Elsewhere[*figures.Read](ctx, w, jobFigures, ref)
	}
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	leave, err := w.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	read, err := figures.Open(ctx, extension(c.Of.Name), c, c.Of.Size, compiled(""))
	return read, wrap(c, err)
}
