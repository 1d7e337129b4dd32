package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	stdimage "image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// samplePictures are pictures of width × height in all formats and depths.
func samplePictures(t *testing.T, width, height int) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	random := rand.New(rand.NewPCG(3, 4))
	put := func(name string, encode func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(name, err)
		}
		all[name] = b.Bytes()
	}
	size := stdimage.Rect(0, 0, width, height)
	rgb, clear, deep := stdimage.NewRGBA(size), stdimage.NewNRGBA(size), stdimage.NewNRGBA64(size)
	grey, few := stdimage.NewGray(size), stdimage.NewPaletted(size, palette.Plan9)
	for y := range height {
		for x := range width {
			c := color.NRGBA{byte(x), byte(y), byte(random.IntN(40)), 255}
			rgb.Set(x, y, c)
			grey.SetGray(x, y, color.Gray{Y: c.R})
			few.SetColorIndex(x, y, c.B)
			c.A = byte(128 + y%100)
			clear.SetNRGBA(x, y, c)
			deep.SetNRGBA64(x, y, color.NRGBA64{uint16(x), uint16(y), 7, 0x9000})
		}
	}
	for name, m := range map[string]stdimage.Image{"rgb": rgb, "clear": clear, "deep": deep, "grey": grey, "few": few} {
		put(name+".png", func(b *bytes.Buffer) error { return png.Encode(b, m) })
		put(name+".tiff", func(b *bytes.Buffer) error { return tiff.Encode(b, m, &tiff.Options{Compression: tiff.Deflate}) })
	}
	put("rgb.bmp", func(b *bytes.Buffer) error { return bmp.Encode(b, rgb) })
	put("rgb.webp", func(b *bytes.Buffer) error { return nativewebp.Encode(b, rgb, nil) })
	put("clear.webp", func(b *bytes.Buffer) error { return nativewebp.Encode(b, clear, nil) })
	put("few.webp", func(b *bytes.Buffer) error { return nativewebp.Encode(b, few, nil) })
	put("rgb.jpg", func(b *bytes.Buffer) error { return jpeg.Encode(b, rgb, nil) })
	put("grey.jpg", func(b *bytes.Buffer) error { return jpeg.Encode(b, grey, nil) })
	put("moving.gif", func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*stdimage.Paletted{few, few, few}, Delay: []int{1, 1, 1}})
	})
	return all
}

// converted adds what only another program writes: progressive JPEGs, with all colors or
// some, inks, and interlaced and lossy pictures.
func converted(t *testing.T, all map[string][]byte) {
	t.Helper()
	testneed.Program(t, "convert")
	dir := t.TempDir()
	from := filepath.Join(dir, "from.png")
	for name, args := range map[string][]string{
		"progressive.jpg": {"-interlace", "JPEG", "-sampling-factor", "4:4:4"}, "part.jpg": {"-interlace", "JPEG", "-sampling-factor", "4:2:0"},
		"inks.jpg": {"-colorspace", "CMYK"}, "rgb-planes.jpg": {"-colorspace", "RGB", "-set", "colorspace", "RGB"}, "interlaced.png": {"-interlace", "PNG"}, "lossy.webp": {"-quality", "60"},
	} {
		source := all["rgb.png"]
		if name == "lossy.webp" {
			source = all["clear.png"]
		}
		if err := os.WriteFile(from, source, 0o600); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		said, err := exec.CommandContext(t.Context(), "convert", append(append([]string{from}, args...), to)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %s", name, said)
		}
		if all[name], err = os.ReadFile(to); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPicturesTakeNoMoreThanWasEstimated compares what is allocated with what was
// expected from the header, for all formats and what is done with them.
func TestPicturesTakeNoMoreThanWasEstimated(t *testing.T) {
	const width, height = 400, 300
	all := samplePictures(t, width, height)
	converted(t, all)
	for name, data := range all {
		for _, ops := range [][]Operation{
			{{Op: Convert, Format: "png"}},
			{{Op: Convert, Format: "jpeg"}},
			{{Op: Convert, Format: "webp"}},
			{{Op: Crop, Region: &Region{Width: 295, Height: 295}}, {Op: Convert, Format: "png"}},
			{{Op: Resize, Width: 350}, {Op: Convert, Format: "jpeg"}},
			{{Op: Resize, Width: 195}, {Op: Convert, Format: "png"}},
			{{Op: Resize, Width: 105}, {Op: Convert, Format: "jpeg"}},
		} {
			if ops[0].Format == "webp" && filepath.Ext(name) != ".png" {
				continue // it is slow
			}
			for _, turned := range []int{1, 6} {
				if turned > 1 && ops[0].Op == Resize {
					continue
				}
				p, err := open(bytes.NewReader(data), int64(len(data)))
				if err != nil {
					t.Fatal(name, err)
				}
				if p.turned = turned; turned > 4 {
					p.info.Width, p.info.Height = p.info.Height, p.info.Width
				}
				m, err := p.memory(ops)
				if err != nil {
					t.Fatal(name, err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for i := range ops {
					if err = p.apply(&ops[i], Options{}); err != nil {
						break
					}
				}
				if err == nil {
					_, err = p.write(io.Discard)
				}
				runtime.ReadMemStats(&after)
				if err != nil {
					t.Errorf("%s %+v: %v", name, ops[0], err)
					continue
				}
				fixed := int64(3 << 17) // of encoders
				if ops[len(ops)-1].Format == "png" {
					fixed = 9 << 17
				}
				if taken := int64(after.TotalAlloc-before.TotalAlloc) - fixed; taken > m.bytes {
					t.Errorf("%s turned %d, %+v: %d bytes for each pixel, not %d", name, turned, ops[0], taken/(width*height), m.bytes/(width*height))
				}
			}
		}
	}
}

// TestLargePicturesAreRefusedByTheirHeader: they are not decoded, so it does not matter
// that most of them is missing.
func TestLargePicturesAreRefusedByTheirHeader(t *testing.T) {
	header := func(depth, colors byte, interlaced byte) []byte {
		b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x27\x10\x00\x00\x27\x10") // 10,000 × 10,000
		b = append(b, depth, colors, 0, 0, interlaced)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
		return append(b, "\x00\x00\x00\x00IDAT\x35\xaf\x06\x1e"...)
	}
	frame := func(kind byte) []byte { // 10,000 × 10,000, with all colors
		return append([]byte{0xff, 0xd8, 0xff, kind}, "\x00\x11\x08\x27\x10\x27\x10\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00"...)
	}
	convert := func(format string) []Operation { return []Operation{{Op: Convert, Format: format}} }
	for name, c := range map[string]struct {
		data []byte
		ops  []Operation
		want string // of its error
	}{
		"16 bits":            {header(16, 6, 0), convert("png"), "10 000 × 10 000 pixels; in its format this would take about 1.6 GB of memory, more than 800 MB"},
		"interlaced":         {header(8, 6, 1), convert("jpeg"), "would take about 1.2 GB"},
		"as WebP":            {header(8, 0, 0), convert("webp"), "would take about 7.7 GB"},
		"a progressive JPEG": {frame(0xc2), convert("jpeg"), "would take about 1.5 GB"},
		"one byte a pixel":   {header(8, 0, 0), convert("png"), "cannot be read"},
		"a JPEG":             {frame(0xc0), convert("jpeg"), "cannot be read"},
		"made smaller":       {header(16, 6, 0), []Operation{{Op: Resize, Width: 100}}, "would take about 80"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Edit(bytes.NewReader(c.data), int64(len(c.data)), &bytes.Buffer{}, c.ops, Options{})
		runtime.ReadMemStats(&after)
		var e *api.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, c.want) || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if taken := after.TotalAlloc - before.TotalAlloc; e.Kind == api.KindTooLarge && taken > 1<<20 {
			t.Errorf("%s: %d bytes are allocated before it is refused", name, taken)
		}
	}
	if _, err := Base64(bytes.NewReader(header(16, 6, 0)), int64(len(header(16, 6, 0))), 100, 100, 0); err == nil || !strings.Contains(err.Error(), "would take about 80") {
		t.Errorf("as text: %v", err)
	}
}

// TestThinPicturesTakeLittle makes a picture of one row, or of one column, smaller: the
// filter's weights would take more than all its pixels.
func TestThinPicturesTakeLittle(t *testing.T) {
	for size, smaller := range map[stdimage.Point]Operation{{X: 10_000_000, Y: 1}: {Op: Resize, Width: 10}, {X: 1, Y: 10_000_000}: {Op: Resize, Height: 10}} {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, stdimage.NewGray(stdimage.Rectangle{Max: size})); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Edit(bytes.NewReader(b.Bytes()), int64(b.Len()), io.Discard, []Operation{smaller}, Options{})
		runtime.ReadMemStats(&after)
		if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; err != nil || taken > 200 {
			t.Errorf("%v: %d MB, %v", size, taken, err)
		}
	}
}
