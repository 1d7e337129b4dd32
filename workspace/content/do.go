package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// DoneOf is the answer of what a job returns.
func DoneOf(out any, err error) Done {
	var e *api.Error
	var d Done
	if err == nil {
		d.Out, err = json.Marshal(out)
	}
	if errors.As(err, &e) {
		body := e.Body()
		d.Error = &body
	} else if err != nil {
		d.Text = err.Error()
	}
	return d
}

// Do does a job in this process.
func Do(ctx context.Context, w *workspace.Workspace, j Job) (any, error) {
	switch j.Name {
	case jobDescribe:
		return do(j, func(ref string) (*Info, error) { return Describe(ctx, w, ref) })
	case jobRead:
		return do(j, func(in readIn) (*Reading, error) { return Read(ctx, w, in.Ref, in.Request) })
	case jobCompare:
		return do(j, func(c workspace.DraftChange) (Differences, error) { return Compare(ctx, w, c), nil })
	case jobDiff:
		return do(j, func(in diffIn) (*Comparison, error) { return Diff(ctx, w, in.Before, in.After) })
	case jobRows:
		return do(j, func(in rowsIn) (out rowsOut, err error) {
			out.Path, out.Name, err = RowsFile(ctx, w, in.Ref, in.Table, in.Dir)
			return out, err
		})
	case jobAdd:
		return do(j, func(in addIn) (*Added, error) { return AddResult(ctx, w, in.Target, in.Place, in.Result) })
	case jobPlaceholders:
		return do(j, func(ref string) ([]reports.Placeholder, error) { return placeholders(ctx, w, ref) })
	case jobFill:
		return do(j, func(in fillIn) (*Edited[reports.Report], error) { return fill(ctx, w, in) })
	case jobFigures:
		return do(j, func(ref string) (*figures.Read, error) { return Figures(ctx, w, ref) })
	case jobRender:
		return do(j, func(in renderIn) (*Rendered, error) { return Render(ctx, w, in.Ref, in.Request, in.Dir) })
	case string(Sheet):
		return do(j, func(in editIn[sheet.Operation]) (any, error) { return Xlsx(ctx, w, in.Target, in.Ops) })
	case string(Doc):
		return do(j, func(in editIn[docx.Operation]) (any, error) { return Docx(ctx, w, in.Target, in.Ops) })
	case string(Slides):
		return do(j, func(in editIn[pptx.Operation]) (any, error) { return Pptx(ctx, w, in.Target, in.Ops) })
	case string(PDF):
		return do(j, func(in editIn[pdf.Operation]) (any, error) { return Pdf(ctx, w, in.Target, in.Ops) })
	case string(Image):
		return do(j, func(in editIn[image.Operation]) (any, error) { return Picture(ctx, w, in.Target, in.As, in.Ops) })
	}
	return nil, fmt.Errorf("there is no job '%s'", j.Name)
}

func do[In, Out any](j Job, run func(In) (Out, error)) (any, error) {
	var in In
	if err := json.Unmarshal(j.In, &in); err != nil {
		return nil, fmt.Errorf("read a job: %w", err)
	}
	return run(in)
}
