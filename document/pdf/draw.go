package pdf

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif"  // read
	_ "image/jpeg" // read
	_ "image/png"  // read
	"strconv"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/text/unicode/norm"

	"github.com/agnes-data/da/api"
)

const (
	defaultSize = 12
	lineHeight  = 1.2 // times the size
	maxText     = 100_000
	maxPixels   = 100_000_000
	// maxUnpacked is for pictures that are unpacked, several times on their way to the
	// library: each pixel takes up to 30 bytes.
	maxUnpacked = 25_000_000
)

// addText places text, line below line.
func (d *Document) addText(o *Operation, options EditOptions, report *Report) error {
	size := o.Style.Size
	if size == 0 {
		size = defaultSize
	}
	if o.Text == "" || len(o.Text) > maxText || size < 1 || size > 1000 {
		return invalid("A size is from 1 to 1000 points.", "add_text needs a text, of at most %d bytes", maxText)
	}
	fill, err := colorOf(o.Style.Color)
	if err != nil {
		return err
	}
	o.Text = norm.NFC.String(o.Text) // fonts have the letter é, and not always an accent to put on an e
	font, err := d.font(o, options)
	if err != nil {
		return err
	}
	if scripts := unshaped(o.Text); len(scripts) > 0 {
		report.Tell(api.NewCaveat(api.CaveatNarrowed, "the letters of %s are placed one by one, in the order of the text: they are neither joined nor put into the order of their script", strings.Join(scripts, " and ")))
	}
	page, done, err := d.load(o.Page)
	if err != nil {
		return err
	}
	defer done()
	on := requests.Page{ByReference: &page}
	for i, line := range strings.Split(strings.ReplaceAll(o.Text, "\r\n", "\n"), "\n") {
		if line == "" {
			continue
		}
		at := structs.FPDF_FS_MATRIX{A: 1, D: 1, E: float32(o.Position.X), F: float32(o.Position.Y - float64(i)*size*lineHeight)}
		if err := d.line(on, font, float32(size), line, fill, at); err != nil {
			return d.fault("the text cannot be placed", err)
		}
	}
	_, err = d.FPDFPage_GenerateContent(&requests.FPDFPage_GenerateContent{Page: on})
	return d.fault("the text cannot be placed", err)
}

func (d *Document) line(on requests.Page, font references.FPDF_FONT, size float32, text string, fill structs.FPDF_COLOR,
	at structs.FPDF_FS_MATRIX) error {
	made, err := d.FPDFPageObj_CreateTextObj(&requests.FPDFPageObj_CreateTextObj{Document: d.doc, Font: font, FontSize: size})
	if err != nil {
		return err
	}
	if _, err := d.FPDFText_SetText(&requests.FPDFText_SetText{PageObject: made.PageObject, Text: text}); err != nil {
		return err
	}
	if _, err := d.FPDFPageObj_SetFillColor(&requests.FPDFPageObj_SetFillColor{PageObject: made.PageObject, FillColor: fill}); err != nil {
		return err
	}
	if _, err := d.FPDFPageObj_Transform(&requests.FPDFPageObj_Transform{PageObject: made.PageObject, Transform: at}); err != nil {
		return err
	}
	_, err = d.FPDFPage_InsertObject(&requests.FPDFPage_InsertObject{Page: on, PageObject: made.PageObject})
	return err
}

// colorOf reads #RRGGBB.
func colorOf(s string) (structs.FPDF_COLOR, error) {
	if s == "" {
		return structs.FPDF_COLOR{A: 255}, nil
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil || len(s) != 7 || s[0] != '#' {
		return structs.FPDF_COLOR{}, invalid("Colours are written as #RRGGBB.", "%q is not a colour", s)
	}
	return structs.FPDF_COLOR{R: uint(v >> 16), G: uint(v >> 8 & 0xff), B: uint(v & 0xff), A: 255}, nil
}

// font loads a font with all characters of the text: a standard font for Latin
// letters, our own font for Latin, Greek and Cyrillic, or the operation's font.
func (d *Document) font(o *Operation, options EditOptions) (references.FPDF_FONT, error) {
	if o.Style.Font == "" && latin(o.Text) {
		name := "Helvetica"
		if o.Style.Bold {
			name = "Helvetica-Bold"
		}
		loaded, err := d.FPDFText_LoadStandardFont(&requests.FPDFText_LoadStandardFont{Document: d.doc, Font: name})
		if err != nil {
			return "", d.fault("the font cannot be loaded", err)
		}
		return loaded.Font, nil
	}
	data := goregular.TTF
	if o.Style.Bold {
		data = gobold.TTF
	}
	if o.Style.Font != "" {
		var err error
		if data, err = options.file(o.Style.Font); err != nil {
			return "", err
		}
	}
	if err := covers(data, o.Text); err != nil {
		return "", err
	}
	loaded, err := d.FPDFText_LoadFont(&requests.FPDFText_LoadFont{Document: d.doc, Data: data, FontType: enums.FPDF_FONT_TRUETYPE, CID: true})
	if err != nil {
		return "", d.fault("the font cannot be loaded", err)
	}
	return loaded.Font, nil
}

// latin reports whether every character is one of the standard fonts'.
func latin(text string) bool {
	for _, r := range text {
		if r > 0xff || r > 0x7e && r < 0xa0 {
			return false
		}
	}
	return true
}

// addImage places a picture.
func (d *Document) addImage(o *Operation, options EditOptions) error {
	if o.Image == "" || o.Width < 0 || o.Height < 0 {
		return invalid("", "add_image needs an image")
	}
	data, err := options.file(o.Image)
	if err != nil {
		return err
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width < 1 || c.Height < 1 || c.Width*c.Height > maxPixels {
		return invalid("Give a JPEG, PNG or GIF of at most 100 megapixels.", "%s is not a picture that can be placed", o.Image)
	}
	packed := format == "jpeg" && c.ColorModel != color.CMYKModel
	if !packed && c.Width*c.Height > maxUnpacked {
		return invalid("Make it smaller, or convert it to jpeg.",
			"%s has %d × %d pixels, and of %s pictures of this kind %d megapixels can be placed", o.Image, c.Width, c.Height, format,
			maxUnpacked/1_000_000)
	}
	page, done, err := d.load(o.Page)
	if err != nil {
		return err
	}
	defer done()
	made, err := d.FPDFPageObj_NewImageObj(&requests.FPDFPageObj_NewImageObj{Document: d.doc})
	if err != nil {
		return d.fault("the picture cannot be placed", err)
	}
	// Giving the page to these calls ends the library: it is left out.
	if packed {
		_, err = d.FPDFImageObj_LoadJpegFileInline(&requests.FPDFImageObj_LoadJpegFileInline{ImageObject: made.PageObject, FileData: data})
	} else {
		err = d.pixels(made.PageObject, data)
	}
	if err != nil {
		return d.fault("the picture cannot be placed", err)
	}
	width, height := o.Width, o.Height
	switch {
	case width == 0 && height == 0:
		width, height = float64(c.Width)*0.75, float64(c.Height)*0.75 // 96 pixels an inch
	case width == 0:
		width = height * float64(c.Width) / float64(c.Height)
	case height == 0:
		height = width * float64(c.Height) / float64(c.Width)
	}
	at := structs.FPDF_FS_MATRIX{A: float32(width), D: float32(height), E: float32(o.Position.X), F: float32(o.Position.Y)}
	on := requests.Page{ByReference: &page}
	if _, err = d.FPDFPageObj_SetMatrix(&requests.FPDFPageObj_SetMatrix{PageObject: made.PageObject, Transform: at}); err == nil {
		if _, err = d.FPDFPage_InsertObject(&requests.FPDFPage_InsertObject{Page: on, PageObject: made.PageObject}); err == nil {
			_, err = d.FPDFPage_GenerateContent(&requests.FPDFPage_GenerateContent{Page: on})
		}
	}
	return d.fault("the picture cannot be placed", err)
}

// pixels sets the pixels of an image object, including transparency.
func (d *Document) pixels(object references.FPDF_PAGEOBJECT, data []byte) error {
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return invalid("Save the picture again.", "the picture cannot be read: %v", err)
	}
	b := m.Bounds()
	plain := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(plain, plain.Bounds(), m, b.Min, draw.Src)
	made, err := d.FPDFBitmap_Create(&requests.FPDFBitmap_Create{Width: b.Dx(), Height: b.Dy(), Alpha: 1})
	if err != nil {
		return err
	}
	buffer, err := d.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: made.Bitmap})
	if err != nil {
		return err
	}
	stride := len(buffer.Buffer) / b.Dy()
	for y := range b.Dy() {
		from, to := plain.Pix[y*plain.Stride:], buffer.Buffer[y*stride:]
		for x := 0; x < 4*b.Dx(); x += 4 {
			to[x], to[x+1], to[x+2], to[x+3] = from[x+2], from[x+1], from[x], from[x+3]
		}
	}
	_, err = d.FPDFImageObj_SetBitmap(&requests.FPDFImageObj_SetBitmap{ImageObject: object, Bitmap: made.Bitmap})
	return err
}
