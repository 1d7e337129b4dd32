package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/wire"
	"github.com/agnes-data/da/server/fault"
	"github.com/prometheus/client_golang/prometheus"
)

// limits bound one request's dealings with the network.
type limits struct {
	// interimEvery is how often a client that waits is told that it is not
	// forgotten.
	interimEvery time.Duration
	// writeLimit is how long one piece of a response, of up to writePiece bytes,
	// may take to be taken: slower clients than that are gone.
	writeLimit time.Duration
	// bodyLimit is how long a request's body may take to arrive.
	bodyLimit time.Duration
}

// defaultLimits are the limits of servers. Clients give up after 60 s of silence.
var defaultLimits = limits{interimEvery: 15 * time.Second, writeLimit: 60 * time.Second, bodyLimit: 30 * time.Second}

// access says who may call a route at all. What they may have is the core's to
// decide.
type access byte

const (
	public access = iota // no token
	user                 // any token
	admin                // a token of an admin
)

// route is one row of the table of routes.
type route struct {
	method string
	path   string
	access access
	serve  func(*call) error
}

// call is one request on its way through its route.
type call struct {
	limits
	router  *router
	w       *response
	r       *http.Request
	metrics prometheus.Gatherer
	// data is empty on public routes, admin on all but those for admins.
	data  api.Data
	admin api.Administration
	// signIns are the caller's; current is the one that asks, empty for a token.
	signIns api.SignInKeeper
	current string
}

// await runs work, which may take long before it has anything to send. A
// client that asked for it gets an interim response from time to time.
func (c *call) await(work func() error) error {
	if c.r.Header.Get(wire.HeaderInterim) != wire.InterimWanted || !c.r.ProtoAtLeast(1, 1) {
		return work()
	}
	// nginx reads this off the interim response too, and then passes on each one
	// at once.
	c.w.Header().Set(headerBuffering, "no")
	done := make(chan error, 1)
	go func() { done <- fault.Catch(work) }()
	tick := time.NewTicker(c.interimEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			c.w.extend()
			c.w.WriteHeader(http.StatusProcessing)
		}
	}
}

// answer sends what get returns as JSON.
func answer[T any](c *call, get func(context.Context) (T, error)) error {
	var v T
	err := c.await(func() (err error) {
		v, err = get(c.r.Context())
		return err
	})
	if err != nil {
		return err
	}
	return c.w.json(http.StatusOK, v)
}

// tableID returns the table that the path names.
func (c *call) tableID() (string, error) {
	id := c.r.PathValue("id")
	return id, api.CheckName("table id", id)
}

// params refuses parameters in the URL other than those known.
func (c *call) params(known ...string) error {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return badBody("parameter", "the parameters of the URL cannot be read")
	}
	for name, v := range values {
		if !slices.Contains(known, name) {
			return badBody("parameter", "there is no parameter '%s'", api.Clip(name, 80))
		}
		if len(v) > 1 {
			return badBody("parameter", "parameter '%s' is there %d times", name, len(v))
		}
	}
	return nil
}

// done answers a change that has nothing to show.
func (c *call) done(err error) error {
	if err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
