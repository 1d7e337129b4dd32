package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	stdimage "image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"github.com/agnes-data/da/api"
)

const defaultQuality = 85

// Edit applies operations to a picture and writes the result to w. If it returns
// an error, no operation has been applied, and what has been written to w must
// not be used.
func Edit(r io.ReaderAt, size int64, w io.Writer, ops []Operation, options Options) (*Report, error) {
	for i := range ops {
		if err := ops[i].check(); err != nil {
			return nil, inOperation(i, ops[i].Op, err)
		}
	}
	p, err := open(r, size)
	if err != nil {
		return nil, err
	}
	if err := p.afford(ops); err != nil {
		return nil, err
	}
	for i := range ops {
		if err := p.apply(&ops[i], options); err != nil {
			return nil, inOperation(i, ops[i].Op, err)
		}
	}
	return p.write(w)
}

// inOperation adds to err which operation caused it.
func inOperation(index int, op string, err error) error {
	e, ok := err.(*api.Error) //nolint:errorlint // only errors of this package are told so
	if !ok {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("operation %d (%s): %s", index+1, op, e.Message)
	return &c
}

func (p *picture) apply(o *Operation, options Options) error {
	switch o.Op {
	case Resize:
		return p.resize(o)
	case Crop:
		return p.crop(*o.Region)
	case Composite:
		return p.composite(o.Overlays, options)
	}
	if p.format = o.Format; p.format == "jpg" {
		p.format = "jpeg"
	}
	if o.Quality > 0 {
		p.quality = o.Quality
	}
	p.keep = o.KeepMetadata
	if p.keep && (p.info.Format != "jpeg" || p.exif == nil) {
		return invalid("Leave keep_metadata out.", "metadata can be kept of a JPEG that has some")
	}
	return nil
}

// resize turns the picture upright when it is small: that is faster. The size has been
// found to be affordable.
func (p *picture) resize(o *Operation) error {
	from, width, height := o.fitted(p.size())
	if err := p.scale(from, width, height); err != nil {
		return err
	}
	p.straighten()
	return nil
}

// fitted returns the part of a picture of a size that is resized, and the size that it
// gets.
func (o *Operation) fitted(size stdimage.Point) (part stdimage.Rectangle, newWidth, newHeight int) {
	w, h := float64(size.X), float64(size.Y)
	width, height := float64(o.Width), float64(o.Height)
	var cut stdimage.Point // from each side
	switch {
	case width == 0:
		width = w * height / h
	case height == 0:
		height = h * width / w
	case o.Fit == "cover": // the middle of the picture in the new shape
		scale := max(width/w, height/h)
		cut = stdimage.Pt(int(w-width/scale)/2, int(h-height/scale)/2)
	case o.Fit != "fill":
		scale := min(width/w, height/h)
		width, height = w*scale, h*scale
	}
	return stdimage.Rectangle{Min: cut, Max: size.Sub(cut)}, max(int(width+0.5), 1), max(int(height+0.5), 1)
}

// canvas is an empty picture as deep as m.
func canvas(m stdimage.Image, width, height int) draw.Image {
	switch m.(type) {
	case *stdimage.NRGBA64, *stdimage.RGBA64, *stdimage.Gray16:
		return stdimage.NewRGBA64(stdimage.Rect(0, 0, width, height))
	}
	return stdimage.NewRGBA(stdimage.Rect(0, 0, width, height))
}

// crop cuts before it turns, too.
func (p *picture) crop(r Region) error {
	whole := p.size()
	if r.Left < 0 || r.Top < 0 || r.Width > whole.X-r.Left || r.Height > whole.Y-r.Top {
		return invalid("Regions are in pixels from the upper left corner.", "the region %d × %d at %d, %d goes beyond the picture of %d × %d",
			r.Width, r.Height, r.Left, r.Top, whole.X, whole.Y)
	}
	if err := p.decode(); err != nil {
		return err
	}
	part := p.stored(stdimage.Rect(r.Left, r.Top, r.Left+r.Width, r.Top+r.Height))
	out := canvas(p.Image, part.Dx(), part.Dy())
	draw.Draw(out, out.Bounds(), p.Image, part.Min.Add(p.Bounds().Min), draw.Src)
	p.Image = out
	p.straighten()
	return nil
}

func (p *picture) composite(overlays []Overlay, options Options) error {
	if err := p.decode(); err != nil {
		return err
	}
	p.straighten()
	b := p.Bounds()
	out := canvas(p.Image, b.Dx(), b.Dy())
	draw.Draw(out, out.Bounds(), p.Image, b.Min, draw.Src)
	for _, o := range overlays {
		if options.Image == nil {
			return invalid("", "pictures cannot be read here: %s", o.Image)
		}
		data, err := options.Image(o.Image)
		if err != nil {
			return err
		}
		top, err := open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return err
		}
		top.taken = p.taken
		var resized []Operation
		if o.Width > 0 {
			resized = []Operation{{Op: Resize, Width: o.Width}}
		}
		if err := top.afford(resized); err != nil {
			return err
		}
		for i := range resized {
			if err := top.resize(&resized[i]); err != nil {
				return err
			}
		}
		if err := top.decode(); err != nil {
			return err
		}
		top.straighten()
		alpha := o.Opacity
		if alpha == 0 {
			alpha = 1
		}
		place := top.Bounds().Sub(top.Bounds().Min).Add(stdimage.Pt(o.Left, o.Top))
		if !place.Overlaps(out.Bounds()) {
			p.told.Tell(api.NewCaveat(api.CaveatHidden, "the overlay at %d, %d is outside of the picture", o.Left, o.Top))
		}
		draw.DrawMask(out, place, top.Image, top.Bounds().Min, stdimage.NewUniform(color.Alpha16{A: uint16(alpha * 0xffff)}), stdimage.Point{},
			draw.Over)
	}
	p.Image = out
	return nil
}

// write encodes the picture.
func (p *picture) write(w io.Writer) (*Report, error) {
	if err := p.decode(); err != nil {
		return nil, err
	}
	p.straighten()
	b := p.Bounds()
	report := &Report{Format: p.format, Width: b.Dx(), Height: b.Dy(), CaveatList: p.told}
	if p.profile != nil && !p.ownProfile() {
		report.Tell(api.NewCaveat(api.CaveatNarrowed, "the picture's own colour profile is left out: colours may look a little different"))
	}
	switch p.format {
	case "png":
		return report, png.Encode(w, quickly(p.Image))
	case "webp":
		if b.Dx() > 16_383 || b.Dy() > 16_383 {
			return nil, invalid("Make it smaller, or use png.", "a WebP has no more than 16,383 pixels in a direction")
		}
		return report, encodeWebP(w, p.Image)
	}
	if b.Dx() > 65_535 || b.Dy() > 65_535 {
		return nil, invalid("Make it smaller, or use png.", "a JPEG has no more than 65,535 pixels in a direction")
	}
	m := p.Image
	if !opaque(m) {
		flat := stdimage.NewRGBA(b)
		draw.Draw(flat, b, stdimage.White, stdimage.Point{}, draw.Src)
		draw.Draw(flat, b, m, b.Min, draw.Over)
		m = flat
		report.Tell(api.NewCaveat(api.CaveatNarrowed, "a JPEG cannot be transparent: what was is white"))
	}
	return report, jpeg.Encode(&jpegWriter{w: w, extra: p.segments()}, m, &jpeg.Options{Quality: p.quality})
}

// encodeWebP writes a WebP, if it can be read back. The library panics for pictures
// whose colors need longer codes than it can write, such as noise, and writes files
// that nobody can read for some others. Pictures with a palette of up to 16 colors it
// writes wrong, so it gets none.
func encodeWebP(w io.Writer, m stdimage.Image) (err error) {
	const hint = "Use png."
	defer func() {
		if why := recover(); why != nil {
			err = invalid(hint, "this picture cannot be written as WebP: %v", why)
		}
	}()
	if p, ok := m.(*stdimage.Paletted); ok {
		plain := stdimage.NewNRGBA(p.Bounds())
		draw.Draw(plain, plain.Bounds(), p, p.Bounds().Min, draw.Src)
		m = plain
	}
	var file bytes.Buffer
	if err := nativewebp.Encode(&file, m, nil); err != nil {
		return err
	}
	back, err := webp.Decode(bytes.NewReader(file.Bytes()))
	if err != nil {
		return invalid(hint, "this picture cannot be written as WebP: the file could not be read back: %v", err)
	}
	if !alike(m, back) {
		return invalid(hint, "this picture cannot be written as WebP: the file would show other pixels")
	}
	_, err = file.WriteTo(w)
	return err
}

// alike reports whether the pixels of two pictures are the same, but for rounding to 8
// bits.
func alike(a, b stdimage.Image) bool {
	from, to := a.Bounds(), b.Bounds()
	if from.Size() != to.Size() {
		return false
	}
	near := func(x, y uint32) bool { return max(x, y)-min(x, y) < 2<<8 }
	for y := range from.Dy() {
		for x := range from.Dx() {
			r1, g1, b1, a1 := a.At(from.Min.X+x, from.Min.Y+y).RGBA()
			r2, g2, b2, a2 := b.At(to.Min.X+x, to.Min.Y+y).RGBA()
			if !near(r1, r2) || !near(g1, g2) || !near(b1, b2) || !near(a1, a2) {
				return false
			}
		}
	}
	return true
}

// quickly returns a picture as the encoder of PNG takes it without asking for the color
// of each pixel, which takes three times as long.
func quickly(m stdimage.Image) stdimage.Image {
	switch m.(type) {
	case *stdimage.YCbCr, *stdimage.CMYK:
		out := stdimage.NewRGBA(m.Bounds())
		draw.Draw(out, out.Bounds(), m, m.Bounds().Min, draw.Src)
		return out
	}
	return m
}

func opaque(m stdimage.Image) bool {
	o, ok := m.(interface{ Opaque() bool })
	return !ok || o.Opaque()
}

// ownProfile reports whether the picture's color profile can be kept.
func (p *picture) ownProfile() bool {
	return p.format == "jpeg" && len(p.profile) > 0 && p.info.Depth != 32
}

// segments returns the segments of the JPEG other than the picture.
func (p *picture) segments() []byte {
	var out []byte
	if p.keep && len(p.exif) < 65_000 {
		out = append(out, 0xff, 0xe1)
		out = binary.BigEndian.AppendUint16(out, uint16(len(p.exif)+8))
		out = append(append(out, "Exif\x00\x00"...), p.upright()...)
	}
	if p.ownProfile() {
		out = append(out, p.profile...)
	}
	return out
}

// jpegWriter puts segments behind the first two bytes of a JPEG.
type jpegWriter struct {
	w     io.Writer
	extra []byte
	begun bool
}

func (j *jpegWriter) Write(b []byte) (int, error) {
	if !j.begun && len(b) >= 2 {
		j.begun = true
		if _, err := j.w.Write(append(bytes.Clone(b[:2]), j.extra...)); err != nil {
			return 0, err
		}
		n, err := j.w.Write(b[2:])
		return n + 2, err
	}
	return j.w.Write(b)
}
