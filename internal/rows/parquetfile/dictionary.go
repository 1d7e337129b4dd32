package parquetfile

import (
	"encoding/binary"
	"io"
	"os"
)

// maxDictionary bounds the bytes of a dictionary that Texts reads.
const maxDictionary = 1 << 20

// Texts returns the different texts of a column, if dictionaries list all of them. It reads
// no page with data. A text that it returns may belong to no row.
func (f *Footer) Texts(column string) (all map[string]bool, known bool) {
	file, err := os.Open(f.path)
	if err != nil || f.parts[column] == nil {
		return nil, false
	}
	defer file.Close()
	all = map[string]bool{}
	for _, c := range f.parts[column] {
		if c.kind != byteArray || c.dictionary(file, all) != nil {
			return nil, false
		}
	}
	return all, true
}

// Dictionary reports whether the values of a column are written as places in a dictionary, at
// least at first.
func (f *Footer) Dictionary(column string) bool {
	return len(f.parts[column]) > 0 && f.parts[column][0].dict > 0
}

// dictionary adds the texts of the dictionary of a chunk. It returns an error if a page
// has values that are not from there.
func (c chunk) dictionary(r io.ReaderAt, all map[string]bool) error {
	const plainDictionary, runsOfDictionary = 2, 8
	for at, end := c.start(), c.start()+c.size; at < end; {
		p, header, err := readPage(r, at, end)
		if err != nil {
			return err
		}
		if at += header; p.packed < 0 || p.packed > end-at {
			return errPages
		}
		switch {
		case p.kind == dictionaryPage && p.packed <= maxDictionary && p.unpacked >= 0 && p.unpacked <= maxDictionary:
			b := make([]byte, p.packed)
			if _, err = r.ReadAt(b, at); err == nil {
				b, err = unpacked(b, c.codec, p.unpacked)
			}
			if err != nil {
				return err
			}
			for len(b) >= 4 {
				n := uint64(binary.LittleEndian.Uint32(b))
				if b = b[4:]; n > uint64(len(b)) {
					return errPages
				}
				all[string(b[:n])], b = true, b[n:]
			}
		case p.kind != dataPage && p.kind != dataPageV2 || p.encoding != plainDictionary && p.encoding != runsOfDictionary:
			return errPages
		}
		at += p.packed
	}
	return nil
}
