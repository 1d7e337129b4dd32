package image

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/strictjson"
)

// The operations.
const (
	Resize    = "resize"
	Crop      = "crop"
	Convert   = "convert"
	Composite = "composite"
)

// Operations lists the names of all operations.
func Operations() []string { return []string{Resize, Crop, Convert, Composite} }

// Described tells which fields the operations have.
func Described() []string { return strictjson.Operations[Operation](Operations()) }

// Operation is one change of a picture. Several are applied one after the other, and
// the picture is written once.
type Operation struct {
	Op string `json:"op"`
	// Of resize. With one of them the other follows.
	Width  int    `json:"width,omitempty" of:"resize"`
	Height int    `json:"height,omitempty" of:"resize"`
	Fit    string `json:"fit,omitempty" of:"resize" jsonschema:"contain (default): within both; cover: both, cut to fit; fill: both, stretched"`
	// Of crop.
	Region *Region `json:"region,omitempty" of:"crop"`
	// Of convert.
	Format       string `json:"format,omitempty" of:"convert" jsonschema:"png, jpeg or webp (lossless)"`
	Quality      int    `json:"quality,omitempty" of:"convert" jsonschema:"of jpeg, 1 to 100; default 85"`
	KeepMetadata bool   `json:"keep_metadata,omitempty" of:"convert" jsonschema:"of jpeg: keep what the camera wrote, the place too"`
	// Of composite.
	Overlays []Overlay `json:"overlays,omitempty" of:"composite"`
}

// Region is a part of a picture, in pixels from its upper left corner.
type Region struct {
	Left   int `json:"left"`
	Top    int `json:"top"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Overlay is a picture that is put on another.
type Overlay struct {
	Image   string  `json:"image" jsonschema:"a picture file"`
	Left    int     `json:"left,omitempty"`
	Top     int     `json:"top,omitempty"`
	Width   int     `json:"width,omitempty" jsonschema:"resize it to this width; default its own"`
	Opacity float64 `json:"opacity,omitempty" jsonschema:"0 to 1; default 1"`
}

// UnmarshalJSON refuses fields that an operation does not have.
func (o *Operation) UnmarshalJSON(data []byte) error {
	type plain Operation
	return strictjson.DecodeOperation(data, (*plain)(o), Operations())
}

func invalid(hint, format string, args ...any) error {
	return &api.Error{Code: api.CodeValidation, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// check refuses an operation that is invalid for any picture.
func (o *Operation) check() error {
	switch o.Op {
	case Resize:
		if o.Width < 0 || o.Height < 0 || o.Width == 0 && o.Height == 0 {
			return invalid("Give width, height or both, in pixels.", "resize needs a size")
		}
		if !slices.Contains([]string{"", "contain", "cover", "fill"}, o.Fit) {
			return invalid("It is contain, cover or fill.", "there is no fit %q", o.Fit)
		}
	case Crop:
		if o.Region == nil || o.Region.Width < 1 || o.Region.Height < 1 {
			return invalid("Give left, top, width and height in pixels.", "crop needs a region")
		}
	case Convert:
		return o.checkFormat()
	case Composite:
		if len(o.Overlays) == 0 || len(o.Overlays) > 100 {
			return invalid("Give one to 100.", "composite needs overlays")
		}
		for _, v := range o.Overlays {
			if v.Image == "" || v.Opacity < 0 || v.Opacity > 1 || v.Width < 0 {
				return invalid("An overlay has an image, and an opacity from 0 to 1.", "an overlay is not as it should be")
			}
		}
	default:
		return invalid("The operations are "+strings.Join(Operations(), ", ")+".", "there is no operation %q", o.Op)
	}
	return nil
}

func (o *Operation) checkFormat() error {
	switch o.Format {
	case "png", "webp":
		if o.Quality != 0 || o.KeepMetadata {
			return invalid("Convert to jpeg, or leave quality and keep_metadata out.", "%s is written without loss and without metadata", o.Format)
		}
	case "jpeg", "jpg":
		if o.Quality < 0 || o.Quality > 100 {
			return invalid("", "a quality is from 1 to 100, not %d", o.Quality)
		}
	default:
		return invalid("It is png, jpeg or webp.", "pictures cannot be written as %q", o.Format)
	}
	return nil
}

// Report describes the changed picture.
type Report struct {
	Format string `json:"format"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	api.CaveatList
}

// Options are the outside resources that a change needs.
type Options struct {
	// Image returns the content of the file that an operation names. It can be
	// nil.
	Image func(name string) ([]byte, error)
}
