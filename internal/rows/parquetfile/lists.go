package parquetfile

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"os"

	"github.com/apache/arrow-go/v18/parquet/compress"
)

// ErrLists is the error of CheckLists.
var ErrLists = errors.New("values of its lists belong to no row, so another program must write it anew")

// maxTree bounds the elements of a tree of columns that nobody has announced.
const maxTree = 1 << 17

// CheckLists returns ErrLists if the first value of a list in a row group does not
// begin a row, or has no place in one: engines drop such values without a word. It
// looks at the first page of each column below a list. Whatever else is wrong with
// the file is for the engine to say.
func CheckLists(r io.ReaderAt, size int64) error {
	buf, _, err := footerOf(r, size)
	if err != nil {
		return nil //nolint:nilerr // the engine reads the footer, too
	}
	t := &thrift{buf: buf}
	c := checker{}
	var lists []int // around each leaf
	err = t.fields(func(id int64, kind byte) error {
		switch {
		case id == 2 && kind == tList && lists == nil:
			err := t.list(tStruct, func(i int) error {
				if i >= maxTree {
					return errTree
				}
				e, err := t.element()
				c.schema = append(c.schema, e)
				return err
			})
			if err == nil {
				lists, _, err = c.listsBelow(nil, 0, 0)
			}
			return err
		case id == 4 && kind == tList:
			return t.list(tStruct, func(int) error { return t.groupLists(r, lists) })
		}
		return t.skip(kind)
	})
	if errors.Is(err, ErrLists) {
		return err
	}
	return nil
}

// CheckListsOf is CheckLists for a path. A file that cannot be opened is for the engine
// to name.
func CheckListsOf(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	return CheckLists(f, info.Size())
}

// listsBelow counts the lists around each leaf of the element at.
func (c *checker) listsBelow(lists []int, at, around int) (_ []int, next int, err error) {
	if at >= len(c.schema) || around > maxLists {
		return nil, 0, errTree
	}
	e := c.schema[at]
	if e.repetition == repeated && at > 0 {
		around++
	}
	if at++; e.children == 0 {
		return append(lists, around), at, nil
	}
	if c.depth++; c.depth > maxDepth*2 {
		return nil, 0, errTree
	}
	defer func() { c.depth-- }()
	for range e.children {
		if lists, at, err = c.listsBelow(lists, at, around); err != nil {
			return nil, 0, err
		}
	}
	return lists, at, nil
}

// groupLists reads a row group and checks its columns below lists.
func (t *thrift) groupLists(r io.ReaderAt, lists []int) error {
	return t.fields(func(id int64, kind byte) error {
		if id != 1 || kind != tList {
			return t.skip(kind)
		}
		return t.list(tStruct, func(i int) error {
			c, err := t.chunk()
			if err != nil || i >= len(lists) || lists[i] == 0 || c.foreign {
				return err
			}
			return firstLevels(r, c, bits.Len(uint(lists[i])))
		})
	})
}

// firstLevels checks the repetition levels, of some bits each, in the first page with
// values of a chunk.
func firstLevels(r io.ReaderAt, c chunk, width int) error {
	for at, end := c.start(), c.start()+c.size; at < end; {
		p, header, err := readPage(r, at, end)
		if err != nil || p.packed < 0 || p.packed > end-at-header || p.packed > maxPage {
			return errPages
		}
		at += header
		if p.kind == dictionaryPage || p.values == 0 {
			at += p.packed
			continue
		}
		levels, err := p.repetition(r, at, c.codec)
		if err != nil {
			return err
		}
		return runsFit(levels, width, p.values)
	}
	return nil
}

// repetition returns the bytes that begin with the repetition levels of a page.
func (p page) repetition(r io.ReaderAt, at, codec int64) (_ []byte, err error) {
	if p.kind == dataPageV2 {
		if p.levels < 0 || p.levels > p.packed {
			return nil, errPages
		}
		b := make([]byte, p.levels)
		_, err = r.ReadAt(b, at)
		return b, err
	}
	const runLengths = 3
	if p.coded != runLengths || p.unpacked < 0 || p.unpacked > min(maxPage, p.packed*mostInOne+spareBytes) {
		return nil, errPages
	}
	b := make([]byte, p.packed)
	if _, err = r.ReadAt(b, at); err != nil {
		return nil, err
	}
	if b, err = unpacked(b, codec, p.unpacked); err != nil || len(b) < 4 {
		return nil, errPages
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if b = b[4:]; n > int64(len(b)) {
		return nil, errPages
	}
	return b[:n], nil
}

// unpacked decodes a page. Decoders panic at what they do not understand.
func unpacked(b []byte, codec, size int64) (_ []byte, err error) {
	defer func() {
		if recover() != nil {
			err = errPages
		}
	}()
	d, err := compress.GetCodec(compress.Compression(codec)) //nolint:gosec // of those that the format has
	if err != nil {
		return nil, err
	}
	return d.Decode(make([]byte, size), b), nil
}

// runsFit walks runs of levels: the first level must be 0, and there must be a level
// for each value.
func runsFit(levels []byte, width int, values int64) error {
	t := &thrift{buf: levels}
	for found := int64(0); found < values; {
		head, err := t.uvarint()
		if err != nil || t.pos >= len(levels) {
			return ErrLists
		}
		if found == 0 && levels[t.pos]&(1<<width-1) != 0 {
			return ErrLists
		}
		if n := int64(min(head>>1, maxPage)); head&1 == 0 {
			found += n
			t.pos++
		} else { // groups of eight levels; the last may go beyond the values
			found += 8 * n
			t.pos += int(n) * width
		}
	}
	return nil
}
