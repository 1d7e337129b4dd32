package content

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// Edited is a file after a list of operations: all of them were applied, or the
// error says which one could not be.
type Edited[Report any] struct {
	File   workspace.File `json:"file"`
	Report *Report        `json:"report"`
}

// maxPicture is the maximum size of a picture inserted into a document, in bytes.
const maxPicture = 30 << 20

// Xlsx changes a workbook.
func Xlsx(ctx context.Context, w *workspace.Workspace, t Target, ops []sheet.Operation) (*Edited[sheet.Report], error) {
	if isApart(ctx, w, t.File) {
		return Elsewhere[*Edited[sheet.Report]](ctx, w, string(Sheet), editIn[sheet.Operation]{Target: t, Ops: ops})
	}
	blank := func() ([]byte, error) { return sheet.Blank(firstSheet(ops)) }
	return edit(ctx, w, t, Sheet, blank, func(r io.ReaderAt, size int64, out io.Writer) (*sheet.Report, error) {
		return sheet.Edit(r, size, out, ops, sheet.Options{Picture: pictures(ctx, w)})
	})
}

// firstSheet is the name of the first sheet of a new workbook: the first that an
// operation names, and none adds.
func firstSheet(ops []sheet.Operation) string {
	for _, op := range ops {
		if op.Sheet != "" && !slices.ContainsFunc(ops, func(o sheet.Operation) bool { return o.Op == sheet.AddSheet && o.Sheet == op.Sheet }) {
			return op.Sheet
		}
	}
	return ""
}

// Docx changes a document.
func Docx(ctx context.Context, w *workspace.Workspace, t Target, ops []docx.Operation) (*Edited[docx.Report], error) {
	if isApart(ctx, w, t.File) {
		return Elsewhere[*Edited[docx.Report]](ctx, w, string(Doc), editIn[docx.Operation]{Target: t, Ops: ops})
	}
	return edit(ctx, w, t, Doc, docx.Blank, func(r io.ReaderAt, size int64, out io.Writer) (*docx.Report, error) {
		return docx.Edit(r, size, out, ops, docx.Options{Picture: pictures(ctx, w)})
	})
}

// Pptx changes a presentation.
func Pptx(ctx context.Context, w *workspace.Workspace, t Target, ops []pptx.Operation) (*Edited[pptx.Report], error) {
	if isApart(ctx, w, t.File) {
		return Elsewhere[*Edited[pptx.Report]](ctx, w, string(Slides), editIn[pptx.Operation]{Target: t, Ops: ops})
	}
	return edit(ctx, w, t, Slides, pptx.Blank, func(r io.ReaderAt, size int64, out io.Writer) (*pptx.Report, error) {
		return pptx.Edit(r, size, out, ops, pptx.Options{Picture: pictures(ctx, w)})
	})
}

// reporting is what all reports of changes are.
type reporting[Report any] interface {
	*Report
	Told(file string) []api.Caveat
}

// edit applies a list of operations as one version of a file. A draft notes the
// caveats of their report.
func edit[Report any, Told reporting[Report]](ctx context.Context, w *workspace.Workspace, t Target, kind Kind,
	blank func() ([]byte, error), apply func(io.ReaderAt, int64, io.Writer) (*Report, error),
) (*Edited[Report], error) {
	out := &Edited[Report]{}
	var told []api.Caveat
	w = w.Telling(&told)
	report := func(from io.ReaderAt, size int64, to io.Writer) error {
		leave, err := w.Enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
		if out.Report, err = apply(from, size, to); err == nil {
			told = Told(out.Report).Told("")
		}
		return err
	}
	var err error
	out.File, err = w.Edit(ctx, t.File, t.IfVersion, func(old *workspace.Content, to io.Writer) error {
		got, from, size := KindOf(old.Of), io.ReaderAt(old), old.Of.Size
		if size == 0 && extension(old.Of.Name) == endings[kind] { // it was only named so far
			empty, err := blank()
			if err != nil {
				return err
			}
			got, from, size = kind, bytes.NewReader(empty), int64(len(empty))
		}
		if got != kind {
			return wrongKind(old.Of, got, kind)
		}
		return wrap(old, report(from, size, to))
	})
	if !api.CodeUnknownFile.Is(err) || !t.Create {
		return out, err
	}
	if err := nameFits(t.File, kind); err != nil {
		return nil, err
	}
	empty, err := blank()
	if err != nil {
		return nil, err
	}
	out.File, err = w.PutBy(ctx, workspace.PutRequest{Name: t.File, Source: workspace.Created, New: true}, func(to io.Writer) error {
		return report(bytes.NewReader(empty), int64(len(empty)), to)
	})
	return out, err
}

// endings are the extensions of new files.
var endings = map[Kind]string{Sheet: ".xlsx", Doc: ".docx", Slides: ".pptx", PDF: ".pdf"}

// opened are the extensions of files that programs open as something else than text.
var opened = map[string]Kind{".xlsx": Sheet, ".xlsm": Sheet, ".docx": Doc, ".pptx": Slides, ".pdf": PDF, ".png": Image, ".jpg": Image,
	".jpeg": Image, ".gif": Image,
	".webp": Image, ".bmp": Image, ".tif": Image, ".tiff": Image, ".parquet": Other, ".zip": Other, ".xls": Other, ".doc": Other,
	".ppt": Other, ".ods": Other, ".odt": Other}

// textFits refuses text in a new file that programs would take for another kind, unless
// it begins as one of that kind.
func textFits(name, content string) error {
	kind, known := opened[extension(name)]
	if !known || content != "" && !strings.HasPrefix(http.DetectContentType([]byte(content)), "text/") {
		return nil
	}
	return &api.Error{Code: api.CodeInvalidName, Kind: api.KindNotText,
		Message: fmt.Sprintf("text in a file named '%s' could not be opened: by its name it is of the kind %s", api.Clip(name, 80), kind),
		Hint:    "Choose a name for text, such as one that ends with .md, .txt or .csv.", Details: map[string]any{"kind": string(kind)}}
}

// Create makes a new text file; one without text whose name is that of a workbook,
// document or presentation is an empty one of these.
func Create(ctx context.Context, w *workspace.Workspace, name, content string) (workspace.File, error) {
	data := []byte(content)
	if content == "" {
		for kind, blank := range map[Kind]func() ([]byte, error){Sheet: func() ([]byte, error) { return sheet.Blank("") }, Doc: docx.Blank,
			Slides: pptx.Blank} {
			if extension(name) != endings[kind] {
				continue
			}
			var err error
			if data, err = blank(); err != nil {
				return workspace.File{}, err
			}
		}
	}
	if len(data) == len(content) {
		if err := textFits(name, content); err != nil {
			return workspace.File{}, err
		}
	}
	return w.PutBy(ctx, workspace.PutRequest{Name: name, Source: workspace.Created, New: true}, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// nameFits refuses a new file that other programs would take for another kind.
func nameFits(name string, kind Kind) error {
	if extension(name) == endings[kind] {
		return nil
	}
	return &api.Error{Code: api.CodeInvalidName, Message: fmt.Sprintf("a new file of the kind %s needs a name that ends with %s, not '%s'",
		kind, endings[kind], api.Clip(name, 80)), Hint: "Choose another name."}
}

// wrongKind refuses operations on a file that they are not for.
func wrongKind(f workspace.File, got, want Kind) *api.Error {
	e := &api.Error{Code: api.CodeValidation, Kind: api.KindWrongKind,
		Message: fmt.Sprintf("'%s' is of the type %s, and this is for files of the kind %s", f.Name, f.MIMEType, want)}
	switch {
	case want == Sheet && got == Text:
		e.Hint = "A CSV file has no cells: change its lines as text, or import its rows and put them into a workbook."
		base := strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name))
		if api.CheckName("snapshot", base) != nil {
			base = "NAME"
		}
		e.Next = []api.Step{api.Do(api.ActionImportFile, "make a snapshot of its rows, which can be put into a workbook", "file", f.Name, "as",
			base)}
	case got == Text:
		e.Hint = "Change its lines as text."
	case got != Other:
		e.Hint = "Use the operations for files of the kind " + string(got) + "."
	default:
		e.Hint = saveAs(f)
	}
	return e
}

// saveAs says how a file of an office program that is not understood becomes one that
// is; "" if it is no such file.
func saveAs(f workspace.File) string {
	switch mime := f.MIMEType; {
	case strings.Contains(mime, "ms-excel.sheet.binary"):
		return "Save it as .xlsx."
	case mime == "application/x-ole-storage", mime == "application/msword", strings.HasPrefix(mime, "application/vnd.ms-"):
		return "It has a password, or the format that office programs wrote before 2007. Save it as .xlsx, .docx or .pptx, without a password."
	case strings.HasPrefix(mime, "application/vnd.oasis.opendocument."):
		return "Save it as .xlsx, .docx or .pptx."
	}
	return ""
}

// pictures reads pictures of the workspace for operations that place them.
func pictures(ctx context.Context, w *workspace.Workspace) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		c, err := w.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		if c.Of.Size > maxPicture {
			return nil, &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("'%s' is too large for a document", c.Of.Name),
				Hint: "Resize it first."}
		}
		return io.ReadAll(c)
	}
}
