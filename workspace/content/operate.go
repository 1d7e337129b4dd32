package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/guard/strictjson"
	"github.com/agnes-data/da/workspace"
)

// Forms are the operations on a file of a kind, each with its fields; none for kinds
// that have none.
func Forms(kind Kind) []strictjson.Form {
	switch kind {
	case Sheet:
		return strictjson.Forms[sheet.Operation](sheet.Operations())
	case Doc:
		return strictjson.Forms[docx.Operation](docx.Operations())
	case Slides:
		return strictjson.Forms[pptx.Operation](pptx.Operations())
	case PDF:
		return strictjson.Forms[pdf.Operation](pdf.Operations())
	case Image:
		return strictjson.Forms[image.Operation](image.Operations())
	}
	return []strictjson.Form{}
}

// Operated is a file after a list of operations.
type Operated struct {
	File workspace.File `json:"file"`
	// Report says what each operation did.
	Report any `json:"report"`

	Caveats []api.Caveat `json:"-"` // of the report
}

// Operate applies a JSON list of operations to a file of any kind that has some.
func Operate(ctx context.Context, w *workspace.Workspace, t Target, operations []byte) (*Operated, error) {
	kind, err := kindOfTarget(ctx, w, t)
	if err != nil {
		return nil, err
	}
	switch kind {
	case Sheet:
		return operate(ctx, w, t, operations, Xlsx)
	case Doc:
		return operate(ctx, w, t, operations, Docx)
	case Slides:
		return operate(ctx, w, t, operations, Pptx)
	case PDF:
		return operate(ctx, w, t, operations, Pdf)
	case Image:
		return operate(ctx, w, t, operations, func(ctx context.Context, w *workspace.Workspace, t Target,
			ops []image.Operation) (*Edited[image.Report], error) {
			return Picture(ctx, w, t, "", ops)
		})
	}
	return nil, &api.Error{Code: api.CodeValidation, Kind: api.KindWrongKind,
		Message: fmt.Sprintf("'%s' is not a workbook, document, presentation, PDF or picture", api.Clip(t.File, 80)), Hint: "Texts are changed by lines."}
}

// kindOfTarget is that of the target, also if it is a new file or an empty one.
func kindOfTarget(ctx context.Context, w *workspace.Workspace, t Target) (Kind, error) {
	f, err := w.Info(ctx, t.File)
	if api.CodeUnknownFile.Is(err) && t.Create {
		f.Name, err = t.File, nil
	}
	if err == nil && f.Size == 0 {
		for kind, ending := range endings {
			if ending == extension(f.Name) {
				return kind, nil
			}
		}
	}
	return KindOf(f), err
}

// operate reads operations and applies them.
func operate[Op, Report any](ctx context.Context, w *workspace.Workspace, t Target, operations []byte,
	edit func(context.Context, *workspace.Workspace, Target, []Op) (*Edited[Report], error),
) (*Operated, error) {
	var ops []Op
	if err := json.Unmarshal(operations, &ops); err != nil {
		if e := (*api.Error)(nil); errors.As(err, &e) { // one of the operations
			return nil, e
		}
		return nil, &api.Error{Code: api.CodeValidation, Message: "the operations are not a JSON list of operations: " + err.Error(),
			Hint: `They look like [{"op":"append_paragraph","text":"Hello"}].`}
	}
	done, err := edit(ctx, w, t, ops)
	if err != nil {
		return nil, err
	}
	told, _ := any(done.Report).(interface {
		Told(file string) []api.Caveat
	})
	return &Operated{done.File, done.Report, told.Told("")}, nil
}
