// Package httpapi serves the core over HTTP: routes, bodies, streams and errors,
// and other protocols that are mounted beside them as doors. It has no rules
// about data, rights or limits: the core has them.
package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/internal/telemetry"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/server/openid"
	"github.com/agnes-data/da/server/resultset"
)

// Backend is what the routes need.
type Backend interface {
	// Ready returns CodeUnavailable if no request could be answered.
	Ready(ctx context.Context) error
	// Authenticate returns the bearer of token, or a CodeUnauthorized error.
	Authenticate(ctx context.Context, token string) (core.Principal, error)
	// Data returns the services for p as a user.
	Data(p core.Principal) api.Data
	// Administration returns the services for p as an admin.
	Administration(p core.Principal) api.Administration
	// Access identifies what p may read now; it changes when that does.
	Access(ctx context.Context, p core.Principal) (string, error)
	// Left returns p's remaining quota, for the headers of the answer.
	Left(ctx context.Context, p core.Principal) api.Remaining
	// Answered is called when a request has ended; unknown routes and methods are
	// "-".
	Answered(route, method string, status int, took time.Duration)
	// Metrics returns all figures in Prometheus' text format.
	Metrics() []byte
	Browsers
	Devices
}

var _ Backend = (*core.Core)(nil)

// router serves the routes.
type router struct {
	backend Backend
	log     *slog.Logger
	mux     *http.ServeMux
	guard   *guard
	// provider signs browsers in; nil: browsers need tokens.
	provider *openid.Provider
	desk     Desk // may be nil
	// writeRows makes files of rows; nil: there are none to be had.
	writeRows RowWriter
	// making counts the rows of the files that are being made, by caller and name.
	making  sync.Map
	profile Profiler // nil: the server makes no profiles
	watch   Watcher  // nil: nothing more is told
	report  Reporter // nil: the server makes no reports
	// results keeps those that the page looks at; nil: it sees their first rows alone.
	results  *resultset.Store
	proxies  []netip.Prefix
	room     *room
	spans    *telemetry.Exporter // nil: nobody collects them
	certEnds time.Time           // when the TLS certificate does; zero: there is none
	ownHosts bool                // answer only under this machine's own names
	limits
}

// newHandler serves b and the doors over HTTP. It logs one line per request, which
// never contains a token, a body, or the text of a query.
func newHandler(b Backend, log *slog.Logger, doors ...Door) *router {
	h := &router{
		backend: b, log: log, mux: http.NewServeMux(), guard: newGuard(time.Now), limits: defaultLimits,
		room: &room{most: maxConnections},
	}
	byPath := map[string]map[string]route{}
	for _, r := range routes(doors...) {
		if byPath[r.path] == nil {
			byPath[r.path] = map[string]route{}
		}
		byPath[r.path][r.method] = r
	}
	for path, methods := range byPath {
		h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			res := w.(*response)
			res.route = path
			res.err = h.serve(res, r, methods)
		})
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.(*response).err = errNoRoute
	})
	return h
}

// ServeHTTP gives each request an id, a log line and an answer.
func (h *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	res := &response{ResponseWriter: w, control: http.NewResponseController(w), limit: h.writeLimit, id: core.NewRequestID(),
		framed: r.ProtoMajor > 1}
	res.Header().Set(wire.HeaderRequestID, res.id)
	res.Header().Set("X-Content-Type-Options", "nosniff")
	res.Header().Set("Cache-Control", "no-store")
	if r.Body != nil && r.Body != http.NoBody {
		// net/http waits for an unread body before it answers.
		_ = res.control.SetReadDeadline(start.Add(h.bodyLimit))
	}

	r = h.traced(r, res)
	err := fault.Catch(func() error {
		if h.ownHosts && atLoopback(r) && !isLoopback(r.Host) {
			return errForeignHost
		}
		h.mux.ServeHTTP(res, r)
		if res.err == nil {
			return res.plain.failure()
		}
		return res.err
	})
	aborted := false
	if err != nil {
		if res.status == 0 && r.Context().Err() == nil {
			res.fail(err)
		} else {
			// The client has gone, or rows have been sent already: what follows
			// must not look like a regular end.
			aborted = true
		}
	}
	if err == nil && res.told != nil {
		err = res.told
		res.status = statusOf(fault.Visible(err))
	}
	route, method := series(res.route, r.Method)
	h.backend.Answered(route, method, cmp.Or(res.status, statusClientGone), time.Since(start))
	h.spans.End(telemetry.Span{Trace: res.trace, Method: method, Route: route, Request: res.id, Code: codeOf(err),
		Status: cmp.Or(res.status, statusClientGone), Start: start, Took: time.Since(start)})
	h.logRequest(r, res, time.Since(start), err, aborted)
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

// traced puts the request into the trace of who sent it, or begins one for the collector.
func (h *router) traced(r *http.Request, res *response) *http.Request {
	header := r.Header.Get(telemetry.Header)
	if h.spans == nil && !telemetry.Valid(header) {
		return r
	}
	res.trace = telemetry.Begin(header)
	return r.WithContext(telemetry.With(r.Context(), res.trace))
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return string(fault.Visible(err).Code)
}

// atLoopback reports whether a request came to an address of this machine alone: that of
// Flight may be another than the server's.
func atLoopback(r *http.Request) bool {
	at, known := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return !known || isLoopback(at.String())
}

// series returns the labels for counting a request. Labels are kept for ever and
// clients can invent paths and methods, so all unknown ones share one label.
func series(route, method string) (string, string) {
	known := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}
	if !slices.Contains(known, method) {
		method = "-"
	}
	return cmp.Or(route, "-"), method
}

// serve finds the route for the request's method and authenticates the caller.
func (h *router) serve(res *response, r *http.Request, methods map[string]route) error {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt, ok := methods[method]
	if !ok {
		res.Header().Set("Allow", allowed(methods))
		return errNoMethod
	}
	c := &call{limits: h.limits, router: h, w: res, r: r}
	if rt.access == public {
		return rt.serve(c)
	}
	who, err := h.caller(r)
	if err != nil {
		return err
	}
	res.user = who.User
	if who.Origin, err = origin(r, res.id); err != nil {
		return err
	}
	// Look up what is left when the answer starts, so that this request's own
	// reservation is included.
	res.before = func(header http.Header) {
		setLeft(header, h.backend.Left(context.WithoutCancel(r.Context()), who))
	}
	if rt.access == admin && !who.Admin {
		return &api.Error{Code: api.CodeForbidden, Message: "this is for admins only"}
	}
	c.who, c.data, c.signIns, c.current = who, h.backend.Data(who), h.backend.SignIns(who), who.SignIn
	if rt.access == admin {
		c.admin = h.backend.Administration(who)
	}
	return rt.serve(c)
}

// allowed is the value of the Allow header.
func allowed(methods map[string]route) string {
	var names []string
	for m := range methods {
		names = append(names, m)
		if m == http.MethodGet {
			names = append(names, http.MethodHead)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// maxToken limits the length of tokens that are checked; ours have about 50
// bytes.
const maxToken = 4096

// bearer returns the token from the Authorization header.
func bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 1 {
		scheme, token, ok := strings.Cut(values[0], " ")
		token = strings.TrimSpace(token)
		if ok && strings.EqualFold(scheme, "Bearer") && token != "" && len(token) <= maxToken {
			return token, nil
		}
	}
	return "", &api.Error{
		Code: api.CodeUnauthorized, Kind: api.KindTokenMissing, Message: "the request has no token",
		Hint: "Log in, or set DA_TOKEN. Clients of your own send the header 'Authorization: Bearer TOKEN'.",
		Next: []api.Step{api.Do(api.ActionLogin, "store a token")},
	}
}
