package server

import (
	"bytes"
	"io"
	"net/http"

	"github.com/agnes-data/da/api"
)

// Door answers one request in a protocol of its own, for a caller who may do
// what svc does. The request's body has been read and is bounded.
type Door func(svc api.Service, w http.ResponseWriter, r *http.Request)

// mcp hands a request on to the door for models, if there is one.
func (c *call) mcp() error {
	if c.door == nil {
		return errNoRoute
	}
	if err := c.params(); err != nil {
		return err
	}
	data, err := c.readBody()
	if err != nil {
		return err
	}
	r := c.r.Clone(c.r.Context())
	r.Body = io.NopCloser(bytes.NewReader(data))
	// Whoever waits is told by events, which no proxy may hold back.
	c.w.Header().Set(headerBuffering, "no")
	c.door(c.svc, c.w, r)
	return nil
}
