package pdf

import (
	"fmt"
	"image/png"
	"io"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// MaxSide is the most pixels that a side of a picture of a page can have.
const MaxSide = 4000

// Draw writes a page, counted from 1, as a PNG: forms and notes are drawn too. The
// picture is as large as fits into side × side pixels, and its size is returned.
func (d *Document) Draw(page, side int, to io.Writer) (width, height int, err error) {
	if side < 1 || side > MaxSide {
		return 0, 0, invalid("", "a side of a picture has from 1 to %d pixels, not %d", MaxSide, side)
	}
	loaded, done, err := d.load(page)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	drawn, err := d.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: requests.Page{ByReference: &loaded}, Width: side, Height: side, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT, RenderForm: true,
		Document: &d.doc,
	})
	if err != nil {
		return 0, 0, d.fault("the page cannot be drawn", err)
	}
	defer drawn.Cleanup()
	if err := png.Encode(to, drawn.Result.RenderedImage); err != nil {
		return 0, 0, fmt.Errorf("write the picture: %w", err)
	}
	return drawn.Result.Width, drawn.Result.Height, nil
}
