package parquetfile

import (
	"errors"
	"io"
)

const (
	// maxHeader is the maximum size of a page's header, which can contain a
	// minimum and a maximum value.
	maxHeader = 1 << 20
	// firstHeader is how much is read of one at first.
	firstHeader = 512
	// maxPage is the maximum uncompressed size of a page. Only a single very
	// large value makes a page that large.
	maxPage = 1 << 30
	// mostInOne is the maximum compression ratio of a page, and spareBytes is
	// added to the resulting limit.
	mostInOne  = 32 << 10
	spareBytes = 64 << 10
)

// Kinds of page.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

var errPages = errors.New("the pages of a column are not as the footer says")

// page contains the fields of a page's header that are checked.
type page struct {
	kind, unpacked, packed int64
	values                 int64 // only one kind of page has it
	coded                  int64 // how the repetition levels of a dataPage are
	encoding               int64 // of the values of a page with data
	levels                 int64 // bytes of the repetition levels of a dataPageV2
}

// pagesFit walks the pages of a chunk: they fill it to the byte, and have its
// number of values.
func pagesFit(r io.ReaderAt, start int64, c chunk) error {
	values := int64(0)
	for at, end := start, start+c.size; at < end; {
		p, header, err := readPage(r, at, end)
		if err != nil {
			return err
		}
		at += header
		if p.packed < 0 || p.packed > end-at || p.unpacked < 0 || p.unpacked > maxPage ||
			p.unpacked > p.packed*mostInOne+spareBytes || p.values < 0 {
			return errPages
		}
		at += p.packed
		switch p.kind {
		case dataPage, dataPageV2:
			values += p.values
		case dictionaryPage:
		default:
			return errPages
		}
		if values > c.values {
			return errPages
		}
	}
	if values != c.values {
		return errPages
	}
	return nil
}

// readPage reads a page's header, and how long that is.
func readPage(r io.ReaderAt, at, end int64) (p page, header int64, err error) {
	for n := int64(firstHeader); ; n = maxHeader {
		buf := make([]byte, min(n, end-at))
		if _, err := r.ReadAt(buf, at); err != nil {
			return page{}, 0, err
		}
		t := &thrift{buf: buf}
		p, err = t.page()
		switch {
		case errors.Is(err, errShort) && n < maxHeader:
			continue
		case err != nil:
			return page{}, 0, errPages
		}
		return p, int64(t.pos), nil
	}
}

func (t *thrift) page() (page, error) {
	p := page{kind: -1, unpacked: -1, packed: -1}
	err := t.numbers(map[int64]*int64{1: &p.kind, 2: &p.unpacked, 3: &p.packed}, func(id int64, kind byte) (bool, error) {
		if id != 5 && id != 7 && id != 8 || kind != tStruct {
			return false, nil
		}
		places := map[int64]*int64{1: &p.values}
		switch id {
		case 5:
			places[2], places[4] = &p.encoding, &p.coded
		case 8:
			places[4], places[6] = &p.encoding, &p.levels
		}
		return true, t.numbers(places, nil)
	})
	return p, err
}
