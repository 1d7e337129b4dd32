package httpapi

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"time"

	"github.com/agnes-data/da/api"
)

// Door is another protocol, mounted beside the routes, for users.
type Door struct {
	// Path is where it is mounted. Method is the HTTP method that it answers;
	// empty means POST.
	Method, Path string
	// Takes, Gives and About describe it as in an Endpoint.
	Takes, Gives, About string
	// Params are the URL parameters that it accepts.
	Params []string
	// Serve answers one request of a caller with access to data. The request's
	// body has been read, so its size is limited.
	Serve func(data api.Data, w http.ResponseWriter, r *http.Request)
	// Handle is used if Serve is nil. Its error is answered as for routes, unless
	// something has been sent already. An error that it has told in its own way, under
	// a status of success, it notes by the method Told(error) of w, for log and figures.
	Handle func(data api.Data, w http.ResponseWriter, r *http.Request) error
	// Streams says that Handle reads the body itself and limits its size. The
	// body arrives as the client sends it; reading fails if that is too slow.
	Streams bool
}

// route is the door's row in the routing table.
func (d Door) route() route {
	return route{d.method(), d.Path, user, func(c *call) error { return c.enter(d) }}
}

func (d Door) method() string { return cmp.Or(d.Method, http.MethodPost) }

// enter passes a request to a door.
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
	// Doors send events to a waiting client: no proxy may buffer them.
	c.w.Header().Set(headerBuffering, "no")
	if d.Serve == nil {
		return d.Handle(c.data, c.w, r)
	}
	d.Serve(c.data, c.w, r)
	return nil
}

// paced is a body that is read in pieces, each with its own deadline. So a slow
// link is accepted, and one that sends almost nothing is cut.
type paced struct {
	io.ReadCloser
	c    *call
	left int // bytes left of the current piece
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
	if err != nil { // from here on only wait for the client to disconnect
		_ = p.c.w.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
