package image_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	stdimage "image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// corners is a picture of 60 by 40 whose quarters are red, green, blue and white.
func corners() *stdimage.RGBA {
	m := stdimage.NewRGBA(stdimage.Rect(0, 0, 60, 40))
	all := []color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}
	for y := range 40 {
		for x := range 60 {
			m.SetRGBA(x, y, all[x/30+2*(y/20)])
		}
	}
	return m
}

func asPNG(t testing.TB, m stdimage.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// asJPEG is a picture stored in that orientation, with a place where it was taken.
func asJPEG(t testing.TB, m stdimage.Image, orientation uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	tiff := []byte("MM\x00*\x00\x00\x00\x08\x00\x02")
	tiff = append(tiff, 0x01, 0x12, 0, 3, 0, 0, 0, 1, byte(orientation>>8), byte(orientation), 0, 0)
	tiff = append(tiff, 0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0x26, 0, 0, 0, 0)
	tiff = append(tiff, "N 50.0875"...)
	segment := append([]byte{0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(tiff)+8))...)
	segment = append(append(segment, "Exif\x00\x00"...), tiff...)
	return append(append(append([]byte{}, b.Bytes()[:2]...), segment...), b.Bytes()[2:]...)
}

func tryEdit(t testing.TB, data []byte, ops string) ([]byte, *image.Report, error) {
	t.Helper()
	var all []image.Operation
	if err := json.Unmarshal([]byte(ops), &all); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	report, err := image.Edit(bytes.NewReader(data), int64(len(data)), &out, all, image.Options{Image: os.ReadFile})
	return out.Bytes(), report, err
}

func edit(t testing.TB, data []byte, ops string) (stdimage.Image, []byte, *image.Report) {
	t.Helper()
	out, report, err := tryEdit(t, data, ops)
	if err != nil {
		t.Fatal(err)
	}
	m, format, err := stdimage.Decode(bytes.NewReader(out))
	if err != nil || format != report.Format || m.Bounds().Dx() != report.Width || m.Bounds().Dy() != report.Height {
		t.Fatalf("written %s %v, said %+v, %v", format, m.Bounds(), report, err)
	}
	return m, out, report
}

// near reports whether a pixel has about that colour.
func near(m stdimage.Image, x, y int, want color.RGBA) bool {
	r, g, b, a := m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y).RGBA()
	far := func(got uint32, want uint8) bool { d := int(got>>8) - int(want); return d > 12 || d < -12 }
	return !far(r, want.R) && !far(g, want.G) && !far(b, want.B) && !far(a, want.A)
}

var (
	red   = color.RGBA{255, 0, 0, 255}
	green = color.RGBA{0, 255, 0, 255}
	blue  = color.RGBA{0, 0, 255, 255}
	white = color.RGBA{255, 255, 255, 255}
)

func TestPicturesAreMadeAnew(t *testing.T) {
	overlay := filepath.Join(t.TempDir(), "overlay.png")
	if err := os.WriteFile(overlay, asPNG(t, corners().SubImage(stdimage.Rect(0, 20, 10, 30))), 0o600); err != nil {
		t.Fatal(err) // ten by ten of blue
	}
	type dot struct {
		x, y int
		want color.RGBA
	}
	for _, c := range []struct {
		ops           string
		width, height int
		dots          []dot
	}{
		{`{"op": "resize", "width": 30}`, 30, 20, []dot{{2, 2, red}, {27, 2, green}, {2, 17, blue}, {27, 17, white}}},
		{`{"op": "resize", "height": 10}`, 15, 10, []dot{{1, 1, red}, {13, 8, white}}},
		{`{"op": "resize", "width": 30, "height": 30}`, 30, 20, nil},
		{`{"op": "resize", "width": 30, "height": 30, "fit": "fill"}`, 30, 30, []dot{{2, 27, blue}}},
		{`{"op": "resize", "width": 20, "height": 20, "fit": "cover"}`, 20, 20, []dot{{2, 2, red}, {17, 17, white}}},
		{`{"op": "resize", "width": 6}`, 6, 4, []dot{{0, 0, red}, {5, 3, white}}},
		{`{"op": "resize", "width": 120}`, 120, 80, []dot{{2, 2, red}, {117, 77, white}}},
		{`{"op": "crop", "region": {"left": 30, "top": 10, "width": 30, "height": 30}}`, 30, 30, []dot{{1, 1, green}, {1, 28, white}}},
		{`{"op": "composite", "overlays": [{"image": "` + overlay + `", "left": 5, "top": 5}]}`, 60, 40, []dot{{2, 2, red}, {7, 7, blue}, {16, 16, red}}},
		{`{"op": "composite", "overlays": [{"image": "` + overlay + `", "left": 50, "top": -5, "width": 20, "opacity": 0.5}]}`, 60, 40, []dot{{55, 5, color.RGBA{0, 127, 127, 255}}}},
		{`{"op": "crop", "region": {"left": 0, "top": 0, "width": 30, "height": 20}}, {"op": "resize", "width": 3}, {"op": "convert", "format": "webp"}`, 3, 2, []dot{{1, 1, red}}},
		{`{"op": "convert", "format": "jpg", "quality": 90}`, 60, 40, []dot{{2, 2, red}, {57, 37, white}}},
	} {
		m, _, _ := edit(t, asPNG(t, corners()), "["+c.ops+"]")
		if m.Bounds().Dx() != c.width || m.Bounds().Dy() != c.height {
			t.Errorf("%s: %v", c.ops, m.Bounds())
		}
		for _, d := range c.dots {
			if !near(m, d.x, d.y, d.want) {
				t.Errorf("%s: at %d, %d is %v", c.ops, d.x, d.y, m.At(d.x, d.y))
			}
		}
	}
}

// TestPicturesAreTurned stores one picture in each of the eight ways.
func TestPicturesAreTurned(t *testing.T) {
	upright := corners()
	for o := uint16(1); o <= 8; o++ {
		b := upright.Bounds()
		w, h := b.Dx(), b.Dy()
		if o > 4 {
			w, h = h, w
		}
		stored := stdimage.NewRGBA(stdimage.Rect(0, 0, w, h))
		for y := range 40 {
			for x := range 60 {
				sx, sy := x, y
				switch o {
				case 2:
					sx = 59 - x
				case 3:
					sx, sy = 59-x, 39-y
				case 4:
					sy = 39 - y
				case 5:
					sx, sy = y, x
				case 6: // shown by a turn to the right
					sx, sy = y, 59-x
				case 7:
					sx, sy = 39-y, 59-x
				case 8:
					sx, sy = 39-y, x
				}
				stored.Set(sx, sy, upright.At(x, y))
			}
		}
		data := asJPEG(t, stored, o)
		info, err := image.Read(bytes.NewReader(data), int64(len(data)))
		if err != nil || info.Width != 60 || info.Height != 40 || info.Orientation != int(o) || !info.Location {
			t.Errorf("orientation %d: %+v, %v", o, info, err)
		}
		m, out, _ := edit(t, data, `[{"op": "convert", "format": "png"}]`)
		if !near(m, 5, 5, red) || !near(m, 55, 5, green) || !near(m, 5, 35, blue) || !near(m, 55, 35, white) {
			t.Errorf("orientation %d: not upright", o)
		}
		if bytes.Contains(out, []byte("50.0875")) {
			t.Errorf("orientation %d: the place goes along", o)
		}
	}
}

// TestMetadataGoesUnlessAskedFor: where a photograph was taken is told to nobody.
func TestMetadataGoesUnlessAskedFor(t *testing.T) {
	data := asJPEG(t, corners(), 6)
	_, out, _ := edit(t, data, `[{"op": "resize", "width": 10}]`)
	if info, err := image.Read(bytes.NewReader(out), int64(len(out))); err != nil || info.Location || info.Metadata || bytes.Contains(out, []byte("50.0875")) {
		t.Errorf("%+v, %v", info, err)
	}
	_, out, _ = edit(t, data, `[{"op": "convert", "format": "jpeg", "keep_metadata": true}]`)
	if info, err := image.Read(bytes.NewReader(out), int64(len(out))); err != nil || !info.Location || info.Orientation != 1 || info.Width != 40 {
		t.Errorf("kept: %+v, %v", info, err)
	}
	if _, _, err := tryEdit(t, asPNG(t, corners()), `[{"op": "convert", "format": "jpeg", "keep_metadata": true}]`); err == nil {
		t.Error("metadata is kept of a picture that has none")
	}
}

func TestWhatIsLostIsSaid(t *testing.T) {
	clear := asPNG(t, stdimage.NewNRGBA(stdimage.Rect(0, 0, 4, 4)))
	m, _, report := edit(t, clear, `[{"op": "convert", "format": "jpeg"}]`)
	if len(report.Caveats) != 1 || !near(m, 1, 1, white) {
		t.Errorf("%+v", report)
	}
	if _, _, report = edit(t, clear, `[{"op": "convert", "format": "webp"}]`); len(report.Caveats) != 0 {
		t.Errorf("%+v", report)
	}
	frame := stdimage.NewPaletted(stdimage.Rect(0, 0, 4, 4), palette.WebSafe)
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*stdimage.Paletted{frame, frame}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	if _, _, report = edit(t, b.Bytes(), `[{"op": "resize", "width": 2}]`); len(report.Caveats) != 1 || report.Format != "png" {
		t.Errorf("%+v", report)
	}
}

func TestPicturesAsText(t *testing.T) {
	data := asPNG(t, corners())
	e, err := image.Base64(bytes.NewReader(data), int64(len(data)), 30, 0, 0)
	if err != nil || e.MIME != "image/png" || e.Width != 30 || e.Height != 20 {
		t.Fatal(e, err)
	}
	raw, err := base64.StdEncoding.DecodeString(e.Base64)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || c.Width != 30 {
		t.Error(c, err)
	}
}

// bomb is a PNG that says it has so many pixels, and has none.
func bomb(width, height uint32) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), width), height)
	head = append(head, 8, 2, 0, 0, 0)
	out = append(binary.BigEndian.AppendUint32(out, 13), head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

// scans is a progressive JPEG whose first scan is there so many times.
func scans(t *testing.T, times int) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/progressive-422.jpeg")
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.Index(data, []byte{0xff, 0xda})
	next := first + bytes.Index(data[first:], []byte{0xff, 0xc4})
	return slices.Concat(data[:first], bytes.Repeat(data[first:next], times), data[next:])
}

func TestHostilePicturesAreRefused(t *testing.T) {
	jpg := asJPEG(t, corners(), 1)
	for name, c := range map[string]struct {
		data []byte
		kind string
	}{
		"many pixels": {bomb(30_000, 30_000), api.KindTooLarge},
		"very wide":   {bomb(1<<31-1, 1), api.KindTooLarge},
		"cut":         {jpg[:len(jpg)/2], api.KindDamaged},
		"many scans":  {scans(t, 201), api.KindDamaged},
		"text":        {[]byte("hello"), api.KindWrongFormat},
		"empty":       {nil, api.KindWrongFormat},
		"svg":         {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), api.KindWrongFormat},
		"avif":        {[]byte("\x00\x00\x00\x20ftypavif\x00\x00\x00\x00avifmif1miaf"), api.KindWrongFormat},
		"heic":        {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1"), api.KindWrongFormat},
	} {
		_, _, err := tryEdit(t, c.data, `[{"op": "resize", "width": 10}]`)
		e, ok := err.(*api.Error)
		if !ok || e.Code != api.CodeReadFailed || e.Kind != c.kind || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
		if name := strings.ToUpper(name); (name == "AVIF" || name == "HEIC") && (e.Message != name+" pictures cannot be read" || !strings.Contains(e.Hint, "save it as PNG or JPEG")) {
			t.Errorf("%s: %s %s", name, e.Message, e.Hint)
		}
	}
	for ops, want := range map[string]string{
		`{"op": "resize"}`: "operation 1 (resize): resize needs a size",
		`{"op": "resize", "width": 100000, "height": 100000, "fit": "fill"}`:                          "operation 1 (resize): the picture has 100 000 × 100 000 pixels, over 100 megapixels",
		`{"op": "crop", "region": {"left": 50, "top": 0, "width": 20, "height": 5}}`:                  "operation 1 (crop): the region 20 × 5 at 50, 0 goes beyond the picture of 60 × 40",
		`{"op": "crop", "region": {"left": 9223372036854775807, "top": 0, "width": 20, "height": 5}}`: "operation 1 (crop): the region 20 × 5 at 9223372036854775807, 0 goes beyond the picture of 60 × 40",
		`{"op": "convert", "format": "webp", "quality": 80}`:                                          "operation 1 (convert): webp is written without loss and without metadata",
		`{"op": "convert", "format": "heic"}`:                                                         `operation 1 (convert): pictures cannot be written as "heic"`,
		`{"op": "sharpen"}`:                                                                           `operation 1 (sharpen): there is no operation "sharpen"`,
	} {
		if _, _, err := tryEdit(t, asPNG(t, corners()), "["+ops+"]"); err == nil || err.Error() != want {
			t.Errorf("%s: %v", ops, err)
		}
	}
}

// TestLargePicturesAreNotWrittenAsWebP: that would take gigabytes.
func TestLargePicturesAreNotWrittenAsWebP(t *testing.T) {
	large := asPNG(t, stdimage.NewPaletted(stdimage.Rect(0, 0, 6_000, 4_200), palette.Plan9[:2]))
	_, _, err := tryEdit(t, large, `[{"op": "convert", "format": "webp"}]`)
	e, ok := err.(*api.Error)
	if !ok || e.Kind != api.KindTooLarge || !strings.Contains(e.Hint, "png") {
		t.Errorf("%v", err)
	}
	edit(t, large, `[{"op": "resize", "width": 30}, {"op": "convert", "format": "webp"}]`)
}

// TestNoiseIsNotWrittenAsWebP: the library panics for it.
func TestNoiseIsNotWrittenAsWebP(t *testing.T) {
	m, random := stdimage.NewRGBA(stdimage.Rect(0, 0, 800, 600)), rand.New(rand.NewPCG(3, 4))
	for y := range 600 {
		for x := range 800 {
			m.SetRGBA(x, y, color.RGBA{byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(40)), 255})
		}
	}
	_, _, err := tryEdit(t, asPNG(t, m), `[{"op": "convert", "format": "webp"}]`)
	e, ok := err.(*api.Error)
	if !ok || e.Code != api.CodeValidation || e.Hint == "" {
		t.Errorf("%v", err)
	}
}

// TestAWebPCanBeReadBack: the library writes pictures with a palette wrong, and of some
// others files that nobody can read. The latter are refused.
func TestAWebPCanBeReadBack(t *testing.T) {
	refused := 0
	for seed := range uint64(12) {
		few := seed < 9
		random := rand.New(rand.NewPCG(seed, 5))
		size, colors := 20+40*int(seed), 2+int(seed)%3
		if !few {
			size, colors = 333, 17
		}
		var palette color.Palette
		for i := range colors {
			palette = append(palette, color.RGBA{byte(i * 255 / colors), byte(i), 99, 255})
		}
		m := stdimage.NewPaletted(stdimage.Rect(0, 0, size, size), palette)
		for i := range m.Pix {
			m.Pix[i] = byte(random.IntN(colors))
		}
		out, _, err := tryEdit(t, asPNG(t, m), `[{"op": "convert", "format": "webp"}]`)
		if e, ok := err.(*api.Error); ok && e.Code == api.CodeValidation && e.Hint != "" {
			if refused++; few {
				t.Errorf("%d colors, %d pixels wide: %v", colors, size, err)
			}
			continue
		}
		back, err := webp.Decode(bytes.NewReader(out))
		if err != nil {
			t.Errorf("%d colors, %d pixels wide: %v", colors, size, err)
			continue
		}
		for i := range m.Pix {
			if x, y := i%size, i/size; color.RGBAModel.Convert(back.At(x, y)) != color.RGBAModel.Convert(m.At(x, y)) {
				t.Fatalf("%d colors, %d pixels wide: %v at %d, %d", colors, size, back.At(x, y), x, y)
			}
		}
	}
	if refused == 0 {
		t.Error("none was refused: the library may have been mended, or this test asks nothing")
	}
}

// TestOtherProgramsOpenThem writes each format and has another program say what it is.
func TestOtherProgramsOpenThem(t *testing.T) {
	testneed.Program(t, "identify")
	for _, format := range []string{"png", "jpeg", "webp"} {
		_, out, _ := edit(t, asJPEG(t, corners(), 6), `[{"op": "convert", "format": "`+format+`"}]`)
		path := filepath.Join(t.TempDir(), "x."+format)
		if err := os.WriteFile(path, out, 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := exec.CommandContext(t.Context(), "identify", path).CombinedOutput()
		if err != nil || !strings.Contains(string(said), strings.ToUpper(format)+" 40x60") {
			t.Errorf("%s: %s, %v", format, said, err)
		}
	}
	_, out, _ := edit(t, asPNG(t, corners()), `[{"op": "convert", "format": "webp"}]`)
	if m, err := webp.Decode(bytes.NewReader(out)); err != nil || !near(m, 5, 5, red) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(asPNG(f, corners()))
	f.Add(asJPEG(f, corners(), 6))
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := image.Read(bytes.NewReader(data), int64(len(data)))
		if err == nil && info.Width*info.Height < 1<<20 {
			tryEdit(t, data, `[{"op": "resize", "width": 7}]`)
		}
	})
}
