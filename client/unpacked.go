package client

import (
	"compress/gzip"
	"io"
	"net/http"
)

// unpacked returns the decompressed body. Its reader must limit the output.
func unpacked(h http.Header, body io.Reader) io.Reader {
	if h.Get("Content-Encoding") != "gzip" {
		return body
	}
	return &gunzip{from: body}
}

// gunzip reads the gzip header at the first Read, because that is where errors
// can be returned.
type gunzip struct {
	from io.Reader
	r    *gzip.Reader
}

// Read implements io.Reader. It returns errors of the body unchanged.
func (g *gunzip) Read(p []byte) (int, error) {
	if g.r == nil {
		r, err := gzip.NewReader(g.from)
		if err != nil {
			return 0, err
		}
		g.r = r
	}
	return g.r.Read(p)
}
