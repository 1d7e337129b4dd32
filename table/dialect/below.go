package dialect

import (
	"bytes"
	"context"
	"errors"
)

// sniffBelow is Sniff for a table whose header is on a given line.
func sniffBelow(ctx context.Context, sample []byte, whole bool, o Options) (Result, error) {
	above, rest := int64(o.HeaderLine-1), sample
	for range above {
		i := bytes.IndexAny(rest, "\r\n")
		if i < 0 {
			rest = nil
			break
		}
		if rest[i] == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
			i++
		}
		rest = rest[i+1:]
	}
	if len(bytes.TrimSpace(rest)) == 0 {
		return Result{}, ErrNoHeaderLine
	}
	o.HeaderLine = 1
	res, err := Sniff(ctx, rest, whole, o)
	res.Skip, res.Line = res.Skip+int(above), res.Line+above
	res.preamble(sample, 0)
	return res, err
}

// ErrNoHeaderLine means that the file does not have the header line that was given.
var ErrNoHeaderLine = errors.New("the header line is not there, or too far from the start")
