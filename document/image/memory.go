package image

import (
	"fmt"
	stdimage "image"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// MaxMemory is how many bytes may be allocated to read, change and write a picture.
// Bytes that are no longer needed count, too: it is not known when they are freed.
const MaxMemory = 800_000_000

// memory adds up what is going to be allocated for a picture.
type memory struct {
	p       *picture
	size    stdimage.Point // of the picture as it is to be seen
	decoded bool
	turned  bool
	bytes   int64
}

// afford refuses operations that take more than MaxMemory, before the picture is
// decoded. It does not know overlays, whose files are opened later.
func (p *picture) afford(ops []Operation) error {
	m, err := p.memory(ops)
	if err != nil || m.bytes <= MaxMemory {
		return err
	}
	hint := "Make it smaller first, with resize or in another program."
	if format := p.written(ops); format == "webp" {
		hint = "Make it smaller first, or use png."
	}
	return tooMuch(p.size(), m.bytes, hint)
}

func tooMuch(size stdimage.Point, bytes int64, hint string) error {
	return &api.Error{
		Code: api.CodeReadFailed, Kind: api.KindTooLarge, Hint: hint, Details: map[string]any{"width": size.X, "height": size.Y, "bytes": bytes},
		Message: fmt.Sprintf("the picture has %s × %s pixels; in its format this would take about %s of memory, more than %s",
			humanize.Grouped(int64(size.X)), humanize.Grouped(int64(size.Y)), humanize.Bytes(bytes), humanize.Bytes(MaxMemory)),
	}
}

// memory adds up what operations and writing take.
func (p *picture) memory(ops []Operation) (*memory, error) {
	m := &memory{p: p, size: p.size(), decoded: p.Image != nil, turned: p.turned < 2, bytes: p.taken}
	for i := range ops {
		switch o := &ops[i]; o.Op {
		case Resize:
			if err := m.resize(o); err != nil {
				return nil, inOperation(i, o.Op, err)
			}
		case Crop:
			m.decode()
			m.size = stdimage.Pt(min(o.Region.Width, m.size.X), min(o.Region.Height, m.size.Y))
			m.add(m.size.X*m.size.Y, p.deep())
			m.straighten()
		case Composite:
			m.decode()
			m.straighten()
			m.add(m.size.X*m.size.Y, p.deep())
		}
	}
	m.decode()
	m.straighten()
	m.add(m.size.X*m.size.Y, p.writtenBytes(p.written(ops)))
	return m, nil
}

// writtenBytes is how many bytes the encoder of a format takes for each pixel.
func (p *picture) writtenBytes(format string) float64 {
	switch {
	case format == "webp":
		return 76 // with reading it back
	case format == "png" && p.info.Format == "webp" && p.info.Alpha:
		return 12 // it asks for the color of each pixel
	case format == "png" && p.deep() > 4:
		return 8 // it does here, too
	case format == "png" && p.info.Format == "jpeg", format == "jpeg" && (p.info.Alpha || p.info.Depth == 32):
		return 4
	}
	return 0
}

// written is the format that the picture is written in.
func (p *picture) written(ops []Operation) string {
	format := p.format
	for _, o := range ops {
		if o.Op == Convert {
			format = o.Format
		}
	}
	if format == "jpg" {
		return "jpeg"
	}
	return format
}

func (m *memory) add(pixels int, each float64) { m.bytes += int64(float64(pixels) * each) }

func (m *memory) decode() {
	if !m.decoded {
		m.add(m.p.info.Width*m.p.info.Height, m.p.decodedBytes())
	}
	m.decoded = true
}

// straighten counts two copies: one in colors that can be turned, one that is turned.
func (m *memory) straighten() {
	if !m.turned {
		m.add(m.size.X*m.size.Y, 8)
	}
	m.turned = true
}

func (m *memory) resize(o *Operation) error {
	part, width, height := o.fitted(m.size)
	if float64(width)*float64(height) > MaxPixels {
		return tooLarge(width, height)
	}
	pixels := width * height
	switch shrunk := shrinks(part, width, height); {
	case shrunk && m.planar():
		m.decode()
		m.add(pixels, 4)
	case shrunk && halved(part, width, height):
		m.decode()
		m.add(pixels, 5*m.p.deep())
		m.bytes += filterBytes(stdimage.Pt(2*width, 2*height), width, height)
	default:
		m.decode()
		m.add(pixels, m.p.deep())
		m.bytes += filterBytes(part.Size(), width, height)
	}
	m.size = stdimage.Pt(width, height)
	m.straighten()
	return nil
}

// planar reports whether the planes of the picture are averaged as they are.
func (m *memory) planar() bool {
	return m.p.info.planar && !m.p.transparent
}

// deep is how many bytes each pixel of a canvas for the picture takes. Colors of 16 bits
// are copied one by one.
func (p *picture) deep() float64 {
	if p.info.Depth == 64 || p.info.Depth == 16 {
		return 20
	}
	return 4
}

// decodedBytes is how many bytes the decoder of the format takes for each pixel.
func (p *picture) decodedBytes() float64 {
	stored := map[int]float64{8: 1, 16: 2, 64: 8}[p.info.Depth]
	if stored == 0 {
		stored = 4
	}
	switch p.info.Format {
	case "png":
		if p.transparent && p.info.Depth < 24 {
			stored *= 4
		}
		if p.interlaced { // its passes are pictures, too
			stored *= 2
		}
	case "jpeg":
		return p.jpegBytes()
	case "webp":
		if p.info.Alpha {
			return 10.5 // transparency is a picture of its own
		}
		return 8 // a picture of few colors is unpacked into another
	case "tiff": // all of it can be one strip, whose buffer grows
		return 5 * stored
	}
	return stored
}

// jpegBytes is decodedBytes of a JPEG.
func (p *picture) jpegBytes() float64 {
	samples, each := p.samples, 1.0
	if samples == 0 { // its frame was not found
		samples, each = 4, 5
	}
	if p.progressive {
		each = 5 // the coefficients of the whole picture
	}
	samples *= each
	if p.info.Depth == 32 || p.info.rgb { // its colors are put together
		samples += 4
	}
	return samples
}
