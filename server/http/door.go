package httpapi

import (
	"bytes"
	"cmp"
	"io"
	"net/http"

	"github.com/agnes-data/da/api"
)

// Door is a protocol of its own beside the routes, for users.
type Door struct {
	// Path is where it is mounted, and Method what it answers there; empty: POST.
	Method, Path string
	// Takes, Gives and About describe it as those of an Endpoint do.
	Takes, Gives, About string
	// Serve answers one request of a caller who may ask data. The
	// request's body has been read and is bounded.
	Serve func(data api.Data, w http.ResponseWriter, r *http.Request)
}

// route is the door's row in the table of routes.
func (d Door) route() route {
	return route{d.method(), d.Path, user, func(c *call) error { return c.enter(d) }}
}

func (d Door) method() string { return cmp.Or(d.Method, http.MethodPost) }

// enter hands a request on to a door.
func (c *call) enter(d Door) error {
	if err := c.params(); err != nil {
		return err
	}
	data, err := c.readBody()
	if err != nil {
		return err
	}
	r := c.r.Clone(c.r.Context())
	r.Body = io.NopCloser(bytes.NewReader(data))
	// Doors send events to a client that waits: no proxy may hold them back.
	c.w.Header().Set(headerBuffering, "no")
	d.Serve(c.data, c.w, r)
	return nil
}
