package bucket

import (
	"io"
	"net/http"

	"github.com/agnes-data/da/api"
)

// maxPage is more than any page of a listing has: a thousand keys of 1 KiB,
// each character written as a reference.
const maxPage = 8 << 20

// bounded limits the size of answers other than parts of objects, because the
// client reads them into memory.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err == nil && r.Header.Get("Range") == "" {
		resp.Body = &page{resp.Body, maxPage}
	}
	return resp, err
}

// page is an answer's body.
type page struct {
	io.ReadCloser
	left int
}

// Read fails beyond the bound.
func (p *page) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if p.left -= n; p.left < 0 {
		return 0, &api.Error{Code: api.CodeSource, Kind: api.KindStrangeAnswer, Message: "the object store's listing has no end"}
	}
	return n, err
}
