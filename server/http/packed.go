package httpapi

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// leastPacked is the minimum size in bytes of an answer worth compressing.
const leastPacked = 1 << 10

// mayPack allows compressing the answer of this route. The compressed length
// reveals how much of a caller's text recurs in the answer. So it is only for
// answers without such text: not for those that echo a search or a statement, not
// for errors or the audit, and never for tokens.
func (c *call) mayPack() {
	c.w.Header().Add("Vary", "Accept-Encoding")
	c.w.coding = acceptedCoding(c.r.Header.Values("Accept-Encoding"))
}

// acceptedCoding chooses the best encoding that a caller accepts, or "".
func acceptedCoding(accepted []string) string {
	best := ""
	for item := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		name, params, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if refused(params) {
			continue
		}
		if name == "zstd" || name == "gzip" && best == "" {
			best = name
		}
	}
	return best
}

// refused reports whether an encoding's parameters give it the weight 0.
func refused(params string) bool {
	text, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
	weight, err := strconv.ParseFloat(text, 64)
	return ok && (err != nil || weight == 0)
}

// pack compresses the body of an answer if its route and its caller allow that.
func (w *response) pack(status int, body *bytes.Buffer) (*bytes.Buffer, error) {
	if w.coding == "" || status != http.StatusOK || body.Len() < leastPacked {
		return body, nil
	}
	out, err := packed(w.coding, body.Bytes())
	if err != nil {
		return nil, fmt.Errorf("compress response: %w", err)
	}
	w.Header().Set("Content-Encoding", w.coding)
	return bytes.NewBuffer(out), nil
}

// Compressors are used again: making one takes longer, and more memory, than
// compressing an answer with it.
var (
	zstdPacker = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(256<<10), zstd.WithLowerEncoderMem(true))
	})
	gzipPackers = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a level that exists
		return w
	}}
)

// packed compresses a whole body.
func packed(coding string, body []byte) ([]byte, error) {
	if coding == "zstd" {
		enc, err := zstdPacker()
		if err != nil {
			return nil, err
		}
		return enc.EncodeAll(body, nil), nil
	}
	w := gzipPackers.Get().(*gzip.Writer)
	defer gzipPackers.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}
