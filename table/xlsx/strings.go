package xlsx

import (
	"errors"
	"io"
)

// stringTable has the shared strings of a workbook in one block of memory.
type stringTable struct {
	text []byte
	ends []uint32
}

func (t *stringTable) at(i int) ([]byte, bool) {
	if i < 0 || i >= len(t.ends) {
		return nil, false
	}
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.text[from:t.ends[i]:t.ends[i]], true
}

// loadStrings reads the shared strings, once.
func (w *Workbook) loadStrings() error {
	if w.strings != nil {
		return nil
	}
	w.strings = &stringTable{}
	if w.where == "" {
		return nil
	}
	// Texts are kept in memory, so limit the unpacked size: a file that unpacks
	// to far more than any text does is an attack.
	packed := int64(w.parts[w.where].CompressedSize64)
	r, err := w.part(w.where, max(freeStrings, min(packed, maxSheetBytes/maxInflation)*maxInflation))
	if err != nil {
		return err
	}
	defer r.Close()
	s := newScanner(r)
	for {
		if err := s.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if !s.is(tokenStart, "si") {
			continue
		}
		from := len(w.strings.text)
		if w.strings.text, err = appendRich(w.strings.text, s, "si"); err != nil {
			return err
		}
		tail := decodeHex(w.strings.text[from:])
		w.strings.text = w.strings.text[:from+len(tail)]
		if len(w.strings.text) > maxStringBytes || len(w.strings.ends) >= maxStrings {
			return ErrTooBig
		}
		w.strings.ends = append(w.strings.ends, uint32(len(w.strings.text)))
	}
}

// appendRich appends the text of the current element up to its end tag: all its t
// elements, but no phonetic guides.
func appendRich(dst []byte, s *scanner, end string) ([]byte, error) {
	if s.selfClose {
		return dst, nil
	}
	inText := false
	for {
		if err := s.next(); err != nil {
			return dst, unexpected(err)
		}
		switch {
		case s.is(tokenEnd, end):
			return dst, nil
		case s.is(tokenStart, "t"):
			inText = !s.selfClose
		case s.is(tokenEnd, "t"):
			inText = false
		case s.is(tokenStart, "rPh"):
			if err := s.skip(); err != nil {
				return dst, err
			}
		case s.kind == tokenText && inText:
			dst = s.appendText(dst)
		}
		if len(dst) > maxStringBytes+maxToken {
			return dst, ErrTooBig
		}
	}
}
