package ooxml

import (
	"bytes"
	"image"
	_ "image/gif"  // to read their size
	_ "image/jpeg" // to read their size
	_ "image/png"  // to read their size
)

// Picture is a picture that is put into a package.
type Picture struct {
	Part          string
	Width, Height int // pixels
}

// EMU is the unit of lengths in drawings.
const (
	EMUPerPixel = 9525
	EMUPerCM    = 360_000
)

// AddPicture adds a PNG, JPEG or GIF below folder. Identical pictures are stored
// once.
func (p *Package) AddPicture(folder string, data []byte) (Picture, error) {
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Picture{}, Invalid("Convert the picture to PNG or JPEG.", "the picture is not a PNG, JPEG or GIF")
	}
	pic := Picture{Width: c.Width, Height: c.Height}
	for _, name := range p.added {
		if ch := p.changed[name]; ch != nil && bytes.Equal(ch.data, data) {
			pic.Part = ch.name
			return pic, nil
		}
	}
	pic.Part = p.Free(folder+"/image", "."+format)
	p.Set(pic.Part, data)
	return pic, p.SetDefault(format, "image/"+format)
}
