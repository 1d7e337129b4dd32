package steps

import (
	"context"

	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// pictureIn names a picture and says where the changed picture is stored.
type pictureIn struct {
	fileIn
	Name string `json:"output_name,omitempty" jsonschema:"of a new file; default: a new version of the picture"`
	writeIn
}

func (in *pictureIn) do(ctx context.Context, w *workspace.Workspace, o image.Operation) (*Changed, error) {
	done, err := content.Picture(ctx, w, content.Target{File: in.File, IfVersion: in.IfVersion}, in.Name, []image.Operation{o})
	if err != nil {
		return nil, err
	}
	out := changed(done.File)
	out.Width, out.Height, out.CaveatList = done.Report.Width, done.Report.Height, done.Report.CaveatList
	return out, nil
}

type resizeIn struct {
	pictureIn
	Width   int           `json:"width,omitempty" jsonschema:"in pixels; with one of both the other follows"`
	Height  int           `json:"height,omitempty"`
	Options resizeOptions `json:"options,omitzero"`
}

type resizeOptions struct {
	Fit string `json:"fit,omitempty" jsonschema:"contain (default): within both; cover: both, cut to fit; fill: both, stretched"`
}

type cropIn struct {
	pictureIn
	Region image.Region `json:"region" jsonschema:"in pixels"`
}

type convertIn struct {
	pictureIn
	Format       string `json:"format" jsonschema:"png, jpeg or webp (lossless)"`
	Quality      int    `json:"quality,omitempty" jsonschema:"of jpeg, 1 to 100; default 85"`
	KeepMetadata bool   `json:"keep_metadata,omitempty" jsonschema:"of jpeg: keep what the camera wrote, the place too"`
}

type compositeIn struct {
	pictureIn
	Overlays []image.Overlay `json:"overlays" jsonschema:"pictures of the workspace, the lowest first"`
}

type base64In struct {
	fileIn
	Options  base64Options `json:"options,omitzero"`
	MaxBytes int           `json:"max_bytes,omitempty" jsonschema:"of the text: the picture is made smaller until it fits; default 200000"`
}

type base64Options struct {
	MaxWidth  int `json:"max_width,omitempty" jsonschema:"in pixels; default 1024"`
	MaxHeight int `json:"max_height,omitempty" jsonschema:"in pixels; default 1024"`
}

const (
	defaultSide   = 1024
	defaultBase64 = 200_000
)

func images() []Step {
	return []Step{
		step(Step{
			Family: Image, Name: "info", Title: "Look into a picture", ReadOnly: true,
			About: "Tell a picture's size as it is shown, its format, colours and metadata.",
		}, func(ctx context.Context, w *workspace.Workspace, in *fileIn) (*image.Info, error) {
			return content.DescribePicture(ctx, w, in.File)
		}),
		step(Step{
			Family: Image, Name: "resize", Title: "Resize a picture",
			About: "Give a picture another size. It is turned upright and its place is dropped.",
		}, func(ctx context.Context, w *workspace.Workspace, in *resizeIn) (*Changed, error) {
			return in.do(ctx, w, image.Operation{Op: image.Resize, Width: in.Width, Height: in.Height, Fit: in.Options.Fit})
		}),
		step(Step{
			Family: Image, Name: "crop", Title: "Crop a picture",
			About: "Keep a part of a picture.",
		}, func(ctx context.Context, w *workspace.Workspace, in *cropIn) (*Changed, error) {
			return in.do(ctx, w, image.Operation{Op: image.Crop, Region: &in.Region})
		}),
		step(Step{
			Family: Image, Name: "convert", Title: "Convert a picture",
			About: "Write a picture in another format, as a new file with that extension. Its metadata is dropped unless it is to be kept.",
		}, func(ctx context.Context, w *workspace.Workspace, in *convertIn) (*Changed, error) {
			return in.do(ctx, w, image.Operation{Op: image.Convert, Format: in.Format, Quality: in.Quality, KeepMetadata: in.KeepMetadata})
		}),
		step(Step{
			Family: Image, Name: "composite", Title: "Put pictures on a picture",
			About: "Put other pictures of the workspace on a picture.",
		}, func(ctx context.Context, w *workspace.Workspace, in *compositeIn) (*Changed, error) {
			return in.do(ctx, w, image.Operation{Op: image.Composite, Overlays: in.Overlays})
		}),
		step(Step{
			Family: Image, Name: "to_base64", Title: "Read a picture as base64", ReadOnly: true,
			About: "Read a picture as base64, made smaller where it must be, which is said.",
		}, func(ctx context.Context, w *workspace.Workspace, in *base64In) (*image.Encoded, error) {
			return content.EncodePicture(ctx, w, in.File, orElse(in.Options.MaxWidth, defaultSide), orElse(in.Options.MaxHeight, defaultSide),
				min(orElse(in.MaxBytes, defaultBase64), mostBytes))
		}),
	}
}

// orElse returns n if it is positive, otherwise the default.
func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}
