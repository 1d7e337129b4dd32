package image

import (
	"fmt"
	stdimage "image"
	"io"

	"github.com/agnes-data/da/api"
)

// picture is one on its way to being written.
type picture struct {
	r     io.ReaderAt
	bytes int64
	// Image is nil until the pixels are needed.
	stdimage.Image
	turned int // how it is still turned, as EXIF has it; 0 and 1: it is upright
	metadata
	info    *Info
	format  string
	quality int
	keep    bool
	told    api.CaveatList
	taken   int64 // bytes that are allocated for another picture meanwhile
}

func open(r io.ReaderAt, size int64) (*picture, error) {
	info, err := Read(r, size)
	if err != nil {
		return nil, err
	}
	p := &picture{r: r, bytes: size, metadata: scan(r, size, info.Format), info: info, format: info.Format, quality: defaultQuality}
	if info.Animated {
		p.told.Tell(api.NewCaveat(api.CaveatUnread, "the picture is animated: its first frame is used"))
	}
	switch p.format {
	case "png", "jpeg", "webp":
	default:
		p.format = "png"
	}
	p.turned = info.Orientation
	return p, nil
}

// decode reads all pixels, if none have been read yet.
func (p *picture) decode() error {
	if p.Image != nil {
		return nil
	}
	if p.info.Format == "jpeg" && scans(p.r, p.bytes) > maxScans {
		return damaged(fmt.Sprintf("it is stored in more than %d scans", maxScans), nil)
	}
	need := &memory{p: p, bytes: p.taken}
	if need.decode(); need.bytes > MaxMemory {
		return tooMuch(p.size(), need.bytes, "Make it smaller in another program first.")
	}
	m, _, err := stdimage.Decode(io.NewSectionReader(p.r, 0, p.bytes))
	if err != nil && p.info.Animated {
		return damaged("animations of this format cannot be read", err)
	} else if err != nil {
		return damaged(err.Error(), err)
	}
	p.Image = m
	return nil
}

// size is the size of the picture as it is to be seen.
func (p *picture) size() stdimage.Point {
	if p.Image == nil {
		return stdimage.Pt(p.info.Width, p.info.Height)
	}
	size := p.Bounds().Size()
	if p.turned > 4 {
		size.X, size.Y = size.Y, size.X
	}
	return size
}

// straighten turns the picture as it is to be seen.
func (p *picture) straighten() { p.Image, p.turned = turn(p.Image, p.turned), 0 }

// scale makes width × height pixels of a part of the picture as it is to be seen. It
// does not turn the picture.
func (p *picture) scale(from stdimage.Rectangle, width, height int) error {
	from = p.stored(from)
	if p.turned > 4 {
		width, height = height, width
	}
	if err := p.decode(); err != nil {
		return err
	}
	p.Image = scaled(p.Image, from.Add(p.Bounds().Min), width, height)
	return nil
}
