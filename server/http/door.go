package httpapi

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"time"

	"github.com/agnes-data/da/api"
)

// Door is a protocol of its own beside the routes, for users.
type Door struct {
	// Path is where it is mounted, and Method what it answers there; empty: POST.
	Method, Path string
	// Takes, Gives and About describe it as those of an Endpoint do.
	Takes, Gives, About string
	// Params are the parameters of the URL that it knows.
	Params []string
	// Serve answers one request of a caller who may ask data. The
	// request's body has been read and is bounded.
	Serve func(data api.Data, w http.ResponseWriter, r *http.Request)
	// Handle is what serves if Serve is nil: its error is answered as those of
	// routes are, if nothing has been sent yet.
	Handle func(data api.Data, w http.ResponseWriter, r *http.Request) error
	// Streams says that Handle reads the body itself, and bounds it: it comes as
	// the client sends it, and ends with an error if that is too slow.
	Streams bool
}

// route is the door's row in the table of routes.
func (d Door) route() route {
	return route{d.method(), d.Path, user, func(c *call) error { return c.enter(d) }}
}

func (d Door) method() string { return cmp.Or(d.Method, http.MethodPost) }

// enter hands a request on to a door.
func (c *call) enter(d Door) error {
	if err := c.params(d.Params...); err != nil {
		return err
	}
	r := c.r.Clone(c.r.Context())
	if d.Streams {
		r.Body = &paced{ReadCloser: c.r.Body, c: c}
	} else {
		data, err := c.readBody()
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
	}
	// Doors send events to a client that waits: no proxy may hold them back.
	c.w.Header().Set(headerBuffering, "no")
	if d.Serve == nil {
		return d.Handle(c.data, c.w, r)
	}
	d.Serve(c.data, c.w, r)
	return nil
}

// paced is a body that comes in pieces, each with a deadline of its own, so that
// a slow link is no dead one, and one that drips is.
type paced struct {
	io.ReadCloser
	c    *call
	left int // bytes of the piece
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	if p.left <= 0 {
		p.left = writePiece
		// Connections without deadlines, as in some tests, wait for ever.
		_ = p.c.w.control.SetReadDeadline(time.Now().Add(p.c.writeLimit))
	}
	n, err := p.ReadCloser.Read(b[:min(len(b), p.left)])
	p.left -= n
	if err != nil { // from here on only the client's end is looked for
		_ = p.c.w.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
