package content

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/workspace"
)

// Picture changes a picture. The result is the next version of the file, or a new
// file if its name changes: to as, or, if the format changes, to its own name
// with the new extension.
func Picture(ctx context.Context, w *workspace.Workspace, t Target, as string, ops []image.Operation) (*Edited[image.Report], error) {
	if isApart(ctx, w, t.File) {
		return Elsewhere[*Edited[image.Report]](ctx, w, string(Image), editIn[image.Operation]{Target: t, As: as, Ops: ops})
	}
	c, err := openKind(ctx, w, t.File, Image)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if as == "" {
		as = renamed(c.Of.Name, ops)
	}
	apply := func(r io.ReaderAt, size int64, out io.Writer) (*image.Report, error) {
		return image.Edit(r, size, out, ops, image.Options{Image: pictures(ctx, w)})
	}
	if as == c.Of.Name {
		return edit(ctx, w, t, Image, nil, apply)
	}
	if t.IfVersion != 0 && t.IfVersion != c.Of.Version {
		return nil, workspace.Conflict(c.Of, t.IfVersion)
	}
	out := &Edited[image.Report]{}
	var told []api.Caveat
	w = w.Telling(&told)
	out.File, err = w.PutBy(ctx, workspace.PutRequest{Name: as, Source: workspace.Derived, New: true}, func(to io.Writer) error {
		leave, err := w.Enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
		if out.Report, err = apply(c, c.Of.Size, to); err == nil {
			told = out.Report.Told("")
		}
		return wrap(c, err)
	})
	return out, err
}

// renamed returns a picture's name with the extension of the format of the last
// conversion.
func renamed(name string, ops []image.Operation) string {
	for _, o := range ops {
		ext := "." + o.Format
		if o.Op != image.Convert || ext == extension(name) || o.Format == "jpeg" && extension(name) == ".jpg" || o.Format == "jpg" &&
			extension(name) == ".jpeg" {
			continue
		}
		if o.Format == "jpeg" {
			ext = ".jpg"
		}
		name = strings.TrimSuffix(name, path.Ext(name)) + ext
	}
	return name
}

// EncodePicture encodes a picture as text, scaling it down until it fits.
func EncodePicture(ctx context.Context, w *workspace.Workspace, ref string, maxWidth, maxHeight, maxBytes int) (*image.Encoded, error) {
	c, err := openKind(ctx, w, ref, Image)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	leave, err := w.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	out, err := image.Base64(c, c.Of.Size, maxWidth, maxHeight, maxBytes)
	return out, wrap(c, err)
}

// DescribePicture returns the format, size and other properties of a picture.
func DescribePicture(ctx context.Context, w *workspace.Workspace, ref string) (*image.Info, error) {
	c, err := openKind(ctx, w, ref, Image)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	out, err := image.Read(c, c.Of.Size)
	return out, wrap(c, err)
}
