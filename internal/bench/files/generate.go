package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/document/sheet"
)

// bookRows is the number of rows of the workbook of 20 MB.
const bookRows = 206_000

// generate writes the files, the same each time.
func generate(dir string) error {
	for name, write := range map[string]func(io.Writer) error{
		"text.txt": text, "photo.jpg": photo,
		"book.xlsx":  func(w io.Writer) error { return workbook(w, bookRows) },
		"large.xlsx": func(w io.Writer) error { return workbook(w, 5*bookRows) },
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		out := bufio.NewWriterSize(f, 1<<20)
		if err := write(out); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
		info, err := f.Stat()
		if err != nil {
			return err
		}
		fmt.Printf("%-12s %4.0f MB\n", name, float64(info.Size())/1e6)
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func text(w io.Writer) error {
	for i, size := 0, 0; size < 49_900_000; i++ {
		n, err := fmt.Fprintf(w, "line %d of a large file, as there are many of them\n", i)
		if err != nil {
			return err
		}
		size += n
	}
	return nil
}

// workbook is the empty workbook of our own with another sheet in it: seven columns
// of numbers and one of texts.
func workbook(w io.Writer, rows int) error {
	empty, err := sheet.Blank("")
	if err != nil {
		return err
	}
	return replace(w, empty, "xl/worksheets/sheet1.xml", func(out io.Writer) error {
		r := rand.New(rand.NewPCG(1, 2))
		fmt.Fprint(out, `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
		for row := 1; row <= rows; row++ {
			fmt.Fprintf(out, `<row r="%d">`, row)
			for col := range 7 {
				fmt.Fprintf(out, `<c r="%c%d"><v>%.9f</v></c>`, 'A'+col, row, r.Float64()*1e6)
			}
			fmt.Fprintf(out, `<c r="H%d" t="inlineStr"><is><t>text %x</t></is></c></row>`, row, r.Uint64()>>24)
		}
		_, err := fmt.Fprint(out, `</sheetData></worksheet>`)
		return err
	})
}

// replace copies an archive with another content of one part.
func replace(w io.Writer, archive []byte, name string, content func(io.Writer) error) error {
	in, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	for _, f := range in.File {
		if f.Name != name {
			err = out.Copy(f)
		} else if to, made := out.Create(name); made == nil {
			err = content(to)
		} else {
			err = made
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// photo is a JPEG of 24 megapixels with noise, with the colors of a camera: one
// for four pixels.
func photo(w io.Writer) error {
	m := image.NewYCbCr(image.Rect(0, 0, 6000, 4000), image.YCbCrSubsampleRatio420)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Y {
		m.Y[i] = byte(i%6000/40 + i/6000/60 + r.IntN(24))
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(100+i%3000/60), byte(120+i/3000/60)
	}
	return jpeg.Encode(w, m, &jpeg.Options{Quality: 90})
}
