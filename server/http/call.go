package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/fault"
)

// queueEvery is how often a client is told that its place in a queue has changed.
const queueEvery = 500 * time.Millisecond

// limits are the time limits of one request.
type limits struct {
	// interimEvery is the interval of interim responses to a waiting client.
	interimEvery time.Duration
	// writeLimit is how long a client may take to receive one piece of a
	// response, of up to writePiece bytes. Slower clients are disconnected.
	writeLimit time.Duration
	// bodyLimit is how long a request's body may take to arrive.
	bodyLimit time.Duration
}

// defaultLimits are the limits of servers. Clients give up after 60 s without
// data.
var defaultLimits = limits{interimEvery: 15 * time.Second, writeLimit: 60 * time.Second, bodyLimit: 30 * time.Second}

// access says who can call a route. What they can read is decided by the core.
type access byte

const (
	public access = iota // no token
	user                 // any token
	admin                // the token of an admin
)

// route is one row of the routing table.
type route struct {
	method string
	path   string
	access access
	serve  func(*call) error
}

// call is one running request.
type call struct {
	limits
	router *router
	w      *response
	r      *http.Request
	who    core.Principal // empty on public routes, as is data
	// admin is empty except on admin routes.
	data  api.Data
	admin api.Administration
	// signIns manages the caller's sign-ins. current is that of this request;
	// empty for a token.
	signIns api.SignInKeeper
	current string
	queued  atomic.Int64 // place in the queue; 0: it does not wait there
}

// await runs work that may take long before there is anything to send. Meanwhile
// it sends interim responses to a client that asked for them.
func (c *call) await(work func() error) error {
	if c.r.Header.Get(wire.HeaderInterim) != wire.InterimWanted || !c.r.ProtoAtLeast(1, 1) {
		return work()
	}
	// nginx reads this header from the interim response, too, and then forwards
	// responses without buffering.
	c.w.Header().Set(headerBuffering, "no")
	done := make(chan error, 1)
	go func() { done <- fault.Catch(work) }()
	tick, look := time.NewTicker(c.interimEvery), time.NewTicker(queueEvery)
	defer tick.Stop()
	defer look.Stop()
	told := int64(0)
	for {
		select {
		case err := <-done:
			c.w.Header().Del(wire.HeaderQueue)
			return err
		case <-look.C:
			if place := c.queued.Load(); place != told {
				told = place
				c.w.Header().Set(wire.HeaderQueue, strconv.FormatInt(place, 10))
				c.w.extend()
				c.w.WriteHeader(http.StatusProcessing)
			}
		case <-tick.C:
			c.w.extend()
			c.w.WriteHeader(http.StatusProcessing)
		}
	}
}

// answer sends the result of get as JSON.
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

// tableID returns the table id in the path.
func (c *call) tableID() (string, error) {
	id := c.r.PathValue("id")
	return id, api.CheckTable(id)
}

// params rejects unknown URL parameters.
func (c *call) params(known ...string) error {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return badBody(api.KindParameter, "the parameters of the URL cannot be read")
	}
	for name, v := range values {
		if !slices.Contains(known, name) {
			return badBody(api.KindParameter, "there is no parameter '%s'", api.Clip(name, 80))
		}
		if len(v) > 1 {
			return badBody(api.KindParameter, "parameter '%s' is there %d times", name, len(v))
		}
	}
	return nil
}

// done answers a change that has no result.
func (c *call) done(err error) error {
	if err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
