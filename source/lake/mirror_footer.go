package lake

import (
	"context"
	"encoding/binary"
	"os"
)

// A parquet file ends in its footer, the footer's length in four bytes, and
// four bytes of magic; see https://parquet.apache.org/docs/file-format/.
const (
	footerTail = 8
	// footerGuess is how much of the end is read at first: most footers are
	// shorter.
	footerGuess = 64 << 10
)

// footer writes a file as long as the object, of which only the footer is
// there. What is no parquet file the engine will say.
func (m *mirror) footer(ctx context.Context, out *os.File, f file) error {
	if err := out.Truncate(f.size); err != nil {
		return err
	}
	from := max(0, f.size-footerGuess)
	if err := m.copy(ctx, out, f, from); err != nil {
		return err
	}
	if f.size < footerTail {
		return nil
	}
	var tail [footerTail]byte
	if _, err := out.ReadAt(tail[:], f.size-footerTail); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	if begin := f.size - footerTail - length; string(tail[4:]) == "PAR1" && 0 <= begin && begin < from {
		return m.copy(ctx, out, f, begin)
	}
	return nil
}
