package image

import (
	"bytes"
	stdimage "image"
	"image/color"
	_ "image/gif"  // read
	_ "image/jpeg" // read
	_ "image/png"  // read
	"io"

	_ "golang.org/x/image/bmp"  // read
	_ "golang.org/x/image/tiff" // read
	_ "golang.org/x/image/webp" // read

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// MaxPixels is the maximum number of pixels of a picture, before and after a
// change.
const MaxPixels = 100_000_000

// Info describes a picture.
type Info struct {
	Format string `json:"format"` // png, jpeg, gif, webp, bmp, tiff
	// Width and Height are in pixels, as the picture is shown.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Depth is in bits a pixel.
	Depth    int  `json:"color_depth"`
	Alpha    bool `json:"alpha"` // parts of it may be transparent
	Animated bool `json:"animated,omitempty"`
	// Orientation says how the stored picture is rotated or mirrored, 1 to 8 as
	// in EXIF; 0 if unknown.
	Orientation int  `json:"orientation,omitempty"`
	Location    bool `json:"location,omitempty"` // the metadata says where it was taken
	Metadata    bool `json:"metadata,omitempty"`
	Profile     bool `json:"color_profile,omitempty"`

	// planar says that its samples are decoded into planes of one byte each, or into
	// colors without transparency; rgb that they are red, green and blue.
	planar, rgb bool
}

// Read reads the properties of a picture without decoding it.
func Read(r io.ReaderAt, size int64) (*Info, error) {
	c, format, err := stdimage.DecodeConfig(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, unreadable(r, size, err)
	}
	if int64(c.Width)*int64(c.Height) > MaxPixels {
		return nil, tooLarge(c.Width, c.Height)
	}
	if c.Width < 1 || c.Height < 1 {
		return nil, damaged("it has no pixels", nil)
	}
	info := &Info{Format: format, Width: c.Width, Height: c.Height}
	info.Depth, info.Alpha = depth(c.ColorModel)
	info.rgb = c.ColorModel == color.RGBAModel
	info.planar = info.rgb || c.ColorModel == color.GrayModel || c.ColorModel == color.YCbCrModel
	m := scan(r, size, format)
	info.Animated, info.Profile, info.Metadata = m.animated, m.profile != nil, m.exif != nil
	info.Orientation, info.Location = m.orientation(), m.located()
	if info.Orientation > 4 {
		info.Width, info.Height = info.Height, info.Width
	}
	return info, nil
}

// depth returns the bits per pixel, and whether a picture can be transparent.
func depth(m color.Model) (int, bool) {
	switch m {
	case color.GrayModel:
		return 8, false
	case color.Gray16Model:
		return 16, false
	case color.NRGBA64Model, color.RGBA64Model:
		return 64, true
	case color.NRGBAModel, color.NYCbCrAModel:
		return 32, true
	case color.CMYKModel:
		return 32, false
	case color.RGBAModel: // decoders also report this for pictures without transparency
		return 24, false
	}
	if p, ok := m.(color.Palette); ok {
		alpha := false
		for _, c := range p {
			_, _, _, a := c.RGBA()
			alpha = alpha || a < 0xffff
		}
		return 8, alpha
	}
	return 24, false
}

func tooLarge(width, height int) error {
	return &api.Error{
		Code: api.CodeReadFailed, Kind: api.KindTooLarge,
		Message: "the picture has " + humanize.Grouped(int64(width)) + " × " + humanize.Grouped(int64(height)) + " pixels, over 100 megapixels",
		Hint:    "Make it smaller in another program first.", Details: map[string]any{"width": width, "height": height},
	}
}

func damaged(why string, cause error) error {
	return &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged, Message: "the picture cannot be read: " + why,
		Hint: "Open it in the program that made it and save it again.", Err: cause}
}

// unreadable says why a picture cannot be read.
func unreadable(r io.ReaderAt, size int64, cause error) error {
	head := make([]byte, min(size, 64))
	if n, err := r.ReadAt(head, 0); err != nil && n < len(head) {
		return damaged(err.Error(), err)
	}
	wrong := func(what string) error {
		return &api.Error{Code: api.CodeReadFailed, Kind: api.KindWrongFormat, Message: what,
			Hint: "PNG, JPEG, GIF, WebP, BMP and TIFF can be read: save it as PNG or JPEG in a program that opens it.", Err: cause}
	}
	switch {
	case len(head) > 12 && string(head[4:8]) == "ftyp" && bytes.Contains(head, []byte("avi")):
		return wrong("AVIF pictures cannot be read")
	case len(head) > 12 && string(head[4:8]) == "ftyp":
		return wrong("HEIC pictures cannot be read")
	case bytes.HasPrefix(head, []byte("<svg")), bytes.HasPrefix(head, []byte("<?xml")):
		return wrong("drawings such as SVG cannot be read")
	case bytes.HasPrefix(head, []byte("RIFF")), bytes.HasPrefix(head, []byte("\x89PNG")), bytes.HasPrefix(head, []byte("GIF8")),
		bytes.HasPrefix(head, []byte("\xff\xd8")):
		return damaged(cause.Error(), cause)
	}
	return wrong("the format of this picture cannot be read")
}
