package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// segment is a part of the rows of a page: in it, or in a store to which it has a link.
type segment struct {
	Data        []byte      // of one in the page
	URI, AckURI string      // of one in the store
	Headers     http.Header // for the store
	Metadata    struct {
		RowOffset, RowsCount, SegmentSize int64
		UncompressedSize                  *int64 // nil: it is not compressed
	}
}

// segments reads the list of segments that a page has in place of its rows.
func segments(s *scanner) ([]segment, error) {
	from := s.i
	if err := s.skip(); err != nil {
		return nil, err
	}
	var in struct{ Segments []segment }
	if json.Unmarshal(s.b[from:s.i], &in) != nil {
		return nil, errJSON
	}
	return in.Segments, nil
}

// load gets the rows of a segment.
func (c *conversation) load(s segment) (data []byte, err error) {
	if data = s.Data; s.URI != "" {
		if data, err = c.t.follow(c.ctx, s.URI, s.Headers); err != nil {
			return nil, err
		}
	}
	if int64(len(data)) != s.Metadata.SegmentSize {
		return nil, fmt.Errorf("a part of the rows has %d bytes, and not %d", len(data), s.Metadata.SegmentSize)
	}
	if whole := s.Metadata.UncompressedSize; whole != nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		if data, err = d.DecodeAll(data, nil); err != nil || int64(len(data)) != *whole {
			return nil, errors.Join(errors.New("a part of the rows cannot be unpacked"), err)
		}
	}
	if !utf8.Valid(data) {
		return nil, errors.New("a part of the rows is not valid UTF-8")
	}
	return data, nil
}

// segment reads the rows of the next segment, and lets the cluster remove it.
func (r *reader) segment() error {
	s := r.segments[0]
	r.segments = r.segments[1:]
	if s.Metadata.RowOffset != r.came {
		return errors.New("a part of the rows is missing")
	}
	data, err := r.c.load(s)
	if err != nil {
		return err
	}
	in := newScanner(data)
	if err := r.rows(in); err != nil {
		return err
	}
	if in.peek() != 0 || in.i != len(in.b)-1 || r.came != s.Metadata.RowOffset+s.Metadata.RowsCount {
		return errors.New("a part of the rows does not have as many as it says")
	}
	if ack, err := url.Parse(s.AckURI); err == nil && s.AckURI != "" {
		_, _ = r.c.t.follow(r.ctx, r.c.t.base.String()+ack.RequestURI(), s.Headers) // it expires by itself, too
	}
	return nil
}

// follow follows a link with the headers that came with it, and without credentials.
func (t *Trino) follow(ctx context.Context, link string, headers http.Header) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, errors.New("the link to a part of the rows is not valid")
	}
	for name, values := range headers {
		for _, v := range values {
			req.Header.Add(name, v)
		}
	}
	store := http.Client{Transport: t.http.Transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		r.Header.Del("Referer") // a link is a secret
		if len(via) > 3 {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	resp, err := store.Do(req)
	if err != nil {
		return nil, withoutAddress(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the store of the cluster answers with the HTTP status %d", resp.StatusCode)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
}
