package scaledjpeg_test

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/image/scaledjpeg"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// pictures returns the JPEGs of Go's own tests and those beside this test, by name.
func pictures(t testing.TB) map[string][]byte {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, pattern := range []string{filepath.Join(strings.TrimSpace(string(root)), "src/image/testdata/*.jpeg"), "testdata/*.jpeg"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if all[filepath.Base(path)], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(all) < 20 {
		testneed.Skip(t, "the folder src/image/testdata of Go", "the archive of go.dev/dl")
	}
	return all
}

// standard is what the standard library makes of a picture; nil where the colors are
// not those of a usual one.
func standard(data []byte) ([]scaledjpeg.Plane, image.Rectangle, error) {
	m, err := jpeg.Decode(bytes.NewReader(data))
	switch m := m.(type) {
	case *image.Gray:
		return []scaledjpeg.Plane{{Pix: m.Pix, Stride: m.Stride, Across: 1, Down: 1}}, m.Rect, err
	case *image.YCbCr:
		across, down := 1, 1
		for m.COffset(across, 0) == 0 {
			across++
		}
		for m.COffset(0, down) == 0 {
			down++
		}
		return []scaledjpeg.Plane{
			{Pix: m.Y, Stride: m.YStride, Across: 1, Down: 1},
			{Pix: m.Cb, Stride: m.CStride, Across: across, Down: down},
			{Pix: m.Cr, Stride: m.CStride, Across: across, Down: down},
		}, m.Rect, err
	}
	return nil, image.Rectangle{}, err
}

// difference returns the largest difference between the samples of two pictures, and the
// mean of the squared differences. Where a sample of the small picture covers several
// of the whole one, it is compared with their average.
func difference(t testing.TB, small, whole scaledjpeg.Plane, size image.Rectangle) (most, square float64) {
	t.Helper()
	across, down := small.Across/whole.Across, small.Down/whole.Down
	if across < 1 || down < 1 {
		t.Fatalf("a sample covers %d × %d pixels, and %d × %d of the whole picture", small.Across, small.Down, whole.Across, whole.Down)
	}
	n := 0
	for y := range size.Dy() / small.Down {
		for x := range size.Dx() / small.Across {
			sum := 0
			for i := range across * down {
				sum += int(whole.Pix[(y*down+i/across)*whole.Stride+x*across+i%across])
			}
			d := math.Abs(float64(small.Pix[y*small.Stride+x]) - float64(sum)/float64(across*down))
			most, square, n = max(most, d), square+d*d, n+1
		}
	}
	return most, square / float64(max(n, 1))
}

// other are pictures that are left to the standard library, and why.
var other = map[string]string{
	"video-001.221212.jpeg":                "unusual sampling",
	"video-001.cmyk.jpeg":                  "four components",
	"video-001.rgb.jpeg":                   "other colors",
	"progressive-restarts-subsampled.jpeg": "the standard library counts its restarts in another way",
}

func TestWholePicturesAreThoseOfTheStandardLibrary(t *testing.T) {
	for name, data := range pictures(t) {
		planes, err := scaledjpeg.Decode(bytes.NewReader(data), int64(len(data)), 1<<16, 1<<16)
		if why := other[name]; (err == nil) == (why != "") {
			t.Errorf("%s: %v, but %q", name, err, why)
		}
		if err != nil {
			continue
		}
		want, size, err := standard(data)
		if err != nil || len(planes) != len(want) {
			t.Errorf("%s: %d planes, not %d, %v", name, len(planes), len(want), err)
			continue
		}
		for i, p := range planes {
			if p.Across != want[i].Across || p.Down != want[i].Down {
				t.Errorf("%s, plane %d: a sample covers %d × %d, not %d × %d", name, i, p.Across, p.Down, want[i].Across, want[i].Down)
			} else if most, square := difference(t, p, want[i], size); most > 2 || square > 0.1 {
				t.Errorf("%s, plane %d: up to %.0f apart, %.3f in square", name, i, most, square)
			}
		}
	}
}

// TestSmallPicturesLookLikeTheWholeOnes compares with the mean of the pixels that a
// sample covers. Blocks keep more than the mean of each, so it is not the same.
func TestSmallPicturesLookLikeTheWholeOnes(t *testing.T) {
	for name, data := range pictures(t) {
		want, size, err := standard(data)
		if err != nil || want == nil || other[name] != "" {
			continue
		}
		for _, by := range []int{2, 3, 4, 8, 16} {
			width, height := size.Dx()/by, size.Dy()/by
			planes, err := scaledjpeg.Decode(bytes.NewReader(data), int64(len(data)), width, height)
			if err != nil {
				t.Errorf("%s, 1/%d: %v", name, by, err)
				continue
			}
			for i, p := range planes {
				if size.Dx() < width*p.Across && p.Across > want[i].Across || size.Dy() < height*p.Down && p.Down > want[i].Down {
					t.Errorf("%s, 1/%d, plane %d: a sample covers %d × %d pixels", name, by, i, p.Across, p.Down)
				}
				if i == 0 && p.Across*5 < by*2 && by <= 8 {
					t.Errorf("%s, 1/%d: a sample covers only %d pixels", name, by, p.Across)
				}
				_, square := difference(t, p, want[i], size)
				if noise := 10 * math.Log10(255*255/max(square, 0.01)); noise < 33 {
					t.Errorf("%s, 1/%d, plane %d: %.1f dB", name, by, i, noise)
				}
			}
		}
	}
}

// crafted changes a picture at random, and cuts some off.
func crafted(data []byte, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(len(data))))
	out := bytes.Clone(data)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(out))
		if r.IntN(3) == 0 { // what is told about the picture
			at = r.IntN(min(len(out), 700))
		}
		if out[at] = byte(r.IntN(256)); r.IntN(3) == 0 {
			out[at] = []byte{0, 0xff, 0xd0, 0xd9, 0xda, 0x11, 0x22}[r.IntN(7)]
		}
	}
	if r.IntN(4) == 0 {
		out = out[:r.IntN(len(out))]
	}
	return out
}

// TestCraftedPicturesAreThoseOfTheStandardLibrary damages pictures. Each is refused, or
// read as the standard library reads it.
func TestCraftedPicturesAreThoseOfTheStandardLibrary(t *testing.T) {
	const seeds = 60
	read, other := 0, 0
	for name, whole := range pictures(t) {
		for seed := range uint64(seeds) {
			switch accepted, same := compare(t, crafted(whole, seed), name, seed); {
			case accepted && same:
				read++
			case accepted:
				other++
			}
		}
	}
	if t.Logf("%d are read as they should be, %d otherwise", read, other); 20*other > read || read == 0 {
		t.Error("that is too few")
	}
}

// compare decodes a file. It reports whether the file is accepted, and whether the
// picture is then the same as that of the standard library. They may differ where
// coefficients are larger than any picture has, since those overflow differently.
func compare(t testing.TB, data []byte, name string, seed uint64) (accepted, same bool) {
	t.Helper()
	if c, err := jpeg.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height > 1<<20 {
		return false, false
	}
	planes, err := scaledjpeg.Decode(bytes.NewReader(data), int64(len(data)), 1<<16, 1<<16)
	if err != nil {
		if !errors.Is(err, scaledjpeg.ErrOther) {
			t.Errorf("%s, seed %d: %v", name, seed, err)
		}
		return false, false
	}
	want, size, err := standard(data)
	if err != nil || len(planes) != len(want) {
		t.Errorf("%s, seed %d: %d planes are read; the standard library has %d, %v", name, seed, len(planes), len(want), err)
		return false, false
	}
	same = true
	for i, p := range planes {
		if p.Across != want[i].Across || p.Down != want[i].Down {
			t.Errorf("%s, seed %d, plane %d: a sample covers %d × %d", name, seed, i, p.Across, p.Down)
			continue
		}
		_, square := difference(t, p, want[i], size)
		same = same && square < 0.3
	}
	return true, same
}

func FuzzDecode(f *testing.F) {
	for _, data := range pictures(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		compare(t, data, "fuzz", 0)
		if c, err := jpeg.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height <= 1<<20 {
			for _, width := range []int{1, c.Width / 2} {
				if _, err := scaledjpeg.Decode(bytes.NewReader(data), int64(len(data)), width, 1); err != nil && !errors.Is(err, scaledjpeg.ErrOther) {
					t.Error(err)
				}
			}
		}
	})
}
