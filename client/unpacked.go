package client

import (
	"compress/gzip"
	"io"
	"net/http"
)

// unpacked is a body as it was before it was compressed. Whoever reads it bounds
// what comes out.
func unpacked(h http.Header, body io.Reader) io.Reader {
	if h.Get("Content-Encoding") != "gzip" {
		return body
	}
	return &gunzip{from: body}
}

// gunzip opens its body when it is first read, since errors belong there.
type gunzip struct {
	from io.Reader
	r    *gzip.Reader
}

// Read implements io.Reader. Errors of the body are passed on as they are.
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
