package lake

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
)

// A parquet file ends in its footer, the footer's length in four bytes, and
// four bytes of magic; see https://parquet.apache.org/docs/file-format/.
const (
	footerTail = 8
	// footerGuess is how much of the end is read at first: most footers are
	// shorter.
	footerGuess = 64 << 10
	// maxFooter is the longest footer that is read; the engine holds all of it
	// in memory, several times.
	maxFooter = 256 << 20
)

// footer writes a file as long as the object, of which only the end is there,
// with the footer, and tells how long that is. What is no parquet file the
// engine will say.
func (h *hold) footer(ctx context.Context, out *os.File, f file) (bytes int64, err error) {
	if err := out.Truncate(f.size); err != nil {
		return 0, err
	}
	from := max(0, f.size-footerGuess)
	if err := h.mirror.copy(ctx, out, f, from); err != nil {
		return 0, err
	}
	length, err := footerLength(out, f)
	begin := f.size - footerTail - length
	if err != nil || begin >= from {
		return f.size - from, err
	}
	if err := h.reserve(ctx, map[string]int64{f.version(): f.size - begin}); err != nil {
		return 0, err
	}
	return f.size - begin, h.mirror.copy(ctx, out, f, begin)
}

// footerLength reads how long a file's footer is, from its end; 0 if the file
// is not parquet.
func footerLength(out *os.File, f file) (int64, error) {
	if f.size < footerTail {
		return 0, nil
	}
	var tail [footerTail]byte
	if _, err := out.ReadAt(tail[:], f.size-footerTail); err != nil {
		return 0, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case string(tail[4:]) != "PAR1":
		return 0, nil
	case length > f.size-footerTail:
		return 0, unreadable(f.rel, fmt.Errorf("a footer of %d bytes in a file of %d", length, f.size))
	case length > maxFooter:
		e := sourceError(kindRead, fmt.Sprintf("%s cannot be read: its footer is %d bytes long", f.rel, length), nil)
		e.Hint = fmt.Sprintf("At most %d bytes are read. Whoever keeps the file can write it with fewer columns, or larger row groups.", int64(maxFooter))
		return 0, e
	}
	return length, nil
}
