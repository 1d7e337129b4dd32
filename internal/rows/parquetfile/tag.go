package parquetfile

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

var errNotParquet = errors.New("it does not end as a parquet file does")

// footerOf reads the metadata of a file, which begin at end.
func footerOf(r io.ReaderAt, size int64) (footer []byte, end int64, err error) {
	var tail [8]byte
	if _, err := r.ReadAt(tail[:], max(size-8, 0)); err != nil {
		return nil, 0, errNotParquet
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if end = size - 8 - n; string(tail[4:]) != magic || n > maxFooter || end < int64(len(magic)) {
		return nil, 0, errNotParquet
	}
	footer = make([]byte, n)
	_, err = r.ReadAt(footer, end)
	return footer, end, err
}

// Tagged returns the value of a key in the metadata of a file; "": it has none.
func Tagged(r io.ReaderAt, size int64, key string) (string, error) {
	footer, _, err := footerOf(r, size)
	if err != nil {
		return "", err
	}
	t, found := &thrift{buf: footer}, ""
	return found, t.fields(func(id int64, kind byte) error {
		if id != 5 || kind != tList {
			return t.skip(kind)
		}
		return t.list(tStruct, func(int) error {
			var pair [3][]byte
			err := t.fields(func(id int64, kind byte) (err error) {
				if id > 2 || kind != tBinary {
					return t.skip(kind)
				}
				pair[id], err = t.bytes()
				return err
			})
			if string(pair[1]) == key {
				found = string(pair[2])
			}
			return err
		})
	})
}

// Tag adds a key with a value to the metadata of a file. Nothing else changes.
func Tag(path, key, value string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		var footer []byte
		var end int64
		if footer, end, err = footerOf(f, info.Size()); err == nil {
			if footer, err = withTag(footer, key, value); err == nil {
				_, err = f.WriteAt(footer, end)
			}
		}
	}
	return errors.Join(err, f.Close())
}

// CopyTagged copies a file, and does what Tag does to the copy.
func CopyTagged(w io.Writer, r io.ReaderAt, size int64, key, value string) error {
	footer, end, err := footerOf(r, size)
	if err != nil {
		return err
	}
	if footer, err = withTag(footer, key, value); err != nil {
		return err
	}
	if _, err = io.Copy(w, io.NewSectionReader(r, 0, end)); err == nil {
		_, err = w.Write(footer)
	}
	return err
}

// withTag is the end of a file: its metadata with one more pair, their length and the
// mark.
func withTag(footer []byte, key, value string) ([]byte, error) {
	t := &thrift{buf: footer}
	pair := append(text(text(nil, 1, key), 1, value), tStop)
	var out []byte
	before, last := 0, int64(0) // where the field before ends, and its id
	err := t.fields(func(id int64, kind byte) error {
		at := t.pos
		switch {
		case id == 5 && kind == tList:
			_, n, err := t.listHead()
			if err != nil {
				return err
			}
			first := t.pos
			for range n {
				if err := t.skipElement(tStruct); err != nil {
					return err
				}
			}
			out = slices.Concat(footer[:at], list(n+1), footer[first:t.pos], pair, footer[t.pos:])
		case id > 5 && out == nil:
			out = slices.Concat(footer[:before], head(last, 5, tList), list(1), pair, head(5, id, kind), footer[at:])
			fallthrough
		default:
			if err := t.skip(kind); err != nil {
				return err
			}
		}
		before, last = t.pos, id
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out == nil {
		out = slices.Concat(footer[:before], head(last, 5, tList), list(1), pair, footer[before:])
	}
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(out))), magic...), nil
}

// head begins a field, whose id follows that of the one before.
func head(last, id int64, kind byte) []byte {
	if d := id - last; d > 0 && d < 16 {
		return []byte{byte(d)<<4 | kind}
	}
	return binary.AppendVarint([]byte{kind}, id)
}

func list(n int) []byte {
	if n < 15 {
		return []byte{byte(n)<<4 | tStruct}
	}
	return binary.AppendUvarint([]byte{0xf0 | tStruct}, uint64(n))
}

// text adds a field with a text, whose id is that of the one before and step.
func text(to []byte, step int64, value string) []byte {
	return append(binary.AppendUvarint(append(to, head(0, step, tBinary)...), uint64(len(value))), value...)
}
