package mirror

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
)

// A parquet file ends with its footer, the footer's length in four bytes, and a
// magic of four bytes; see https://parquet.apache.org/docs/file-format/.
const (
	footerTail = 8
	// maxFooter is the maximum length of a footer, because the engine holds
	// several copies of it in memory.
	maxFooter = 256 << 20
)

// footer writes a file with the length of the object but only the footer's data
// at its end, and returns the length of that. If the object is not a parquet
// file, the engine reports that.
func (h *Lease) footer(ctx context.Context, out *os.File, o bucket.Object) (bytes int64, err error) {
	if err := out.Truncate(o.Size); err != nil {
		return 0, err
	}
	from := max(0, o.Size-footerGuess)
	if err := h.mirror.copy(ctx, out, o, from); err != nil {
		return 0, err
	}
	length, err := footerLength(out, o)
	begin := o.Size - footerTail - length
	if err != nil || begin >= from {
		return o.Size - from, err
	}
	if err := h.reserve(ctx, map[string]int64{version(o): o.Size - begin}); err != nil {
		return 0, err
	}
	return o.Size - begin, h.mirror.copy(ctx, out, o, begin)
}

// footerLength reads how long a file's footer is, from its end; 0 if the file
// is not parquet.
func footerLength(out *os.File, o bucket.Object) (int64, error) {
	if o.Size < footerTail {
		return 0, nil
	}
	var tail [footerTail]byte
	if _, err := out.ReadAt(tail[:], o.Size-footerTail); err != nil {
		return 0, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case string(tail[4:]) != "PAR1":
		return 0, nil
	case length > o.Size-footerTail:
		return 0, &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: o.Key + " cannot be read",
			Err: fmt.Errorf("a footer of %d bytes in a file of %d", length, o.Size)}
	case length > maxFooter:
		return 0, &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable,
			Message: fmt.Sprintf("%s cannot be read: its footer is %d bytes long", o.Key, length),
			Hint:    fmt.Sprintf("At most %d bytes are read. Write the file with fewer columns, or larger row groups.", int64(maxFooter))}
	}
	return length, nil
}
