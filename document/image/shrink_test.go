package image

import (
	"bytes"
	stdimage "image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/draw"
)

// TestShrunkLooksTheSame makes pictures of every way to store colours and of odd sizes
// smaller, and compares them with what a slower way makes of them.
func TestShrunkLooksTheSame(t *testing.T) {
	for _, ratio := range []stdimage.YCbCrSubsampleRatio{stdimage.YCbCrSubsampleRatio444, stdimage.YCbCrSubsampleRatio422, stdimage.YCbCrSubsampleRatio420, stdimage.YCbCrSubsampleRatio440, stdimage.YCbCrSubsampleRatio411, stdimage.YCbCrSubsampleRatio410} {
		for _, size := range []stdimage.Rectangle{stdimage.Rect(0, 0, 300, 200), stdimage.Rect(0, 0, 301, 199), stdimage.Rect(10, 20, 287, 211)} {
			m := stdimage.NewYCbCr(stdimage.Rect(0, 0, 310, 220), ratio)
			for y := range 220 { // a wave of light and colours
				for x := range 310 {
					m.Y[m.YOffset(x, y)] = byte(40 + x/2 + y/4)
					m.Cb[m.COffset(x, y)], m.Cr[m.COffset(x, y)] = byte(x*250/310), byte(255-y)
				}
			}
			const width, height = 60, 40
			fast := scaled(m, size, width, height)
			slow := stdimage.NewRGBA(stdimage.Rect(0, 0, width, height))
			draw.CatmullRom.Scale(slow, slow.Bounds(), m, size, draw.Src, nil)
			for y := range height {
				for x := range width {
					if a, b := fast.At(x, y), slow.At(x, y); distance(a, b) > 14 {
						t.Fatalf("%v %v at %d, %d: %v, not %v", ratio, size, x, y, a, b)
					}
				}
			}
		}
	}
}

func distance(a, b color.Color) int {
	r, g, bl, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	most := 0
	for _, d := range []int{int(r>>8) - int(r2>>8), int(g>>8) - int(g2>>8), int(bl>>8) - int(b2>>8)} {
		most = max(most, d, -d)
	}
	return most
}

// TestShrunkTransparencyLooksTheSame: what is transparent has no color that counts.
func TestShrunkTransparencyLooksTheSame(t *testing.T) {
	m := stdimage.NewRGBA(stdimage.Rect(3, 5, 304, 204))
	for y := 5; y < 204; y++ {
		for x := 3; x < 304; x++ {
			m.Set(x, y, color.NRGBA{byte(x / 2), byte(y), byte(40 + x/3), byte(255 - y)})
		}
	}
	from := stdimage.Rect(10, 20, 287, 190)
	fast := scaled(m, from, 61, 40)
	slow := stdimage.NewRGBA(stdimage.Rect(0, 0, 61, 40))
	draw.CatmullRom.Scale(slow, slow.Bounds(), m, from, draw.Src, nil)
	if _, _, _, a := fast.At(30, 35).RGBA(); a == 0xffff {
		t.Error("nothing is transparent")
	}
	for y := range 40 {
		for x := range 61 {
			if a, b := fast.At(x, y), slow.At(x, y); distance(a, b) > 4 {
				t.Fatalf("at %d, %d: %v, not %v", x, y, a, b)
			}
		}
	}
}

// photo is a JPEG of 24 megapixels with noise.
func photo(t testing.TB) []byte {
	t.Helper()
	m := stdimage.NewYCbCr(stdimage.Rect(0, 0, 6000, 4000), stdimage.YCbCrSubsampleRatio420)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Y {
		m.Y[i] = byte(i%6000/40 + i/6000/60 + random.IntN(24))
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(100+i%3000/60), byte(120+i/3000/60)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// BenchmarkResize makes a picture of 24 megapixels 1,600 pixels wide.
func BenchmarkResize(b *testing.B) {
	data := photo(b)
	b.Logf("%d MB", len(data)>>20)
	for b.Loop() {
		var out bytes.Buffer
		if _, err := Edit(bytes.NewReader(data), int64(len(data)), &out, []Operation{{Op: Resize, Width: 1600}}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecode is what of it goes into reading the JPEG.
func BenchmarkDecode(b *testing.B) {
	data := photo(b)
	for b.Loop() {
		if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
