package image

import (
	"bytes"
	"encoding/base64"
	"io"

	"github.com/agnes-data/da/api"
)

// Encoded is a picture encoded as text.
type Encoded struct {
	MIME   string `json:"mime_type"`
	Base64 string `json:"base64"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	// What was lost, for example that the picture is smaller than requested.
	api.CaveatList
}

// leastSide is where making a picture smaller ends, in pixels.
const leastSide = 16

// Base64 encodes a picture as text. It scales the picture down if it is larger
// than maxWidth or maxHeight, or if its text is longer than maxBytes; 0 means no
// limit.
func Base64(r io.ReaderAt, size int64, maxWidth, maxHeight, maxBytes int) (*Encoded, error) {
	p, err := open(r, size)
	if err != nil {
		return nil, err
	}
	width, height := p.size().X, p.size().Y
	var ops []Operation
	if maxWidth > 0 {
		width = min(width, maxWidth)
	}
	if maxHeight > 0 {
		height = min(height, maxHeight)
	}
	if size := p.size(); width < size.X || height < size.Y {
		ops = []Operation{{Op: Resize, Width: width, Height: height}}
	}
	if err := p.afford(ops); err != nil {
		return nil, err
	}
	for {
		if size := p.size(); width < size.X || height < size.Y {
			if err := p.resize(&Operation{Width: width, Height: height}); err != nil {
				return nil, err
			}
		}
		var out bytes.Buffer
		report, err := p.write(&out)
		if err != nil {
			return nil, err
		}
		if maxBytes <= 0 || base64.StdEncoding.EncodedLen(out.Len()) <= maxBytes || min(report.Width, report.Height) <= leastSide {
			return &Encoded{MIME: "image/" + report.Format, Base64: base64.StdEncoding.EncodeToString(out.Bytes()), Width: report.Width,
				Height: report.Height, CaveatList: report.CaveatList}, nil
		}
		p.told.Tell(api.NewCaveat(api.CaveatNarrowed, "the picture was made smaller than asked for: its text may have %d bytes", maxBytes))
		width, height = max(report.Width/2, 1), max(report.Height/2, 1)
	}
}
