package doctest

import (
	"archive/zip"
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// Broken returns a package with one XML part changed at random: some of its bytes
// are removed, doubled or changed. The package itself can be opened.
func Broken(t testing.TB, data []byte, r *rand.Rand) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var parts []*zip.File
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, ".xml") || strings.HasSuffix(f.Name, ".rels") {
			parts = append(parts, f)
		}
	}
	hit := parts[r.IntN(len(parts))]
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		if f != hit {
			if err := w.Copy(f); err != nil {
				t.Fatal(err)
			}
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		part, err := w.Create(f.Name)
		if err == nil {
			_, err = part.Write(broken(text, r))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func broken(text []byte, r *rand.Rand) []byte {
	text = bytes.Clone(text)
	for range 1 + r.IntN(3) {
		if len(text) < 40 {
			return text
		}
		from := r.IntN(len(text) - 30)
		to := from + 1 + r.IntN(29)
		switch r.IntN(5) {
		case 0:
			text = append(text[:from:from], text[to:]...)
		case 1:
			text = append(text[:to:to], text[from:]...)
		case 2:
			text[from] = `<>"'&/=0A`[r.IntN(9)]
		case 3: // a number becomes another one
			for i := from; i < to; i++ {
				if text[i] >= '0' && text[i] <= '9' {
					text[i] = '9'
				}
			}
		case 4: // an element is removed
			if a := bytes.IndexByte(text[from:], '<'); a >= 0 {
				if b := bytes.IndexByte(text[from+a:], '>'); b >= 0 {
					text = append(text[:from+a:from+a], text[from+a+b+1:]...)
				}
			}
		}
	}
	return text
}
