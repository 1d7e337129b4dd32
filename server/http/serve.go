package httpapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/telemetry"
	"github.com/agnes-data/da/server/openid"
	"github.com/agnes-data/da/server/resultset"
)

// Listen says where a server listens, and how.
type Listen struct {
	Addr    string // host:port; port 0 picks a free one
	TLSCert string // PEM files; both or neither
	TLSKey  string
	// MaxConnections limits concurrent connections at all addresses; 0 means as many as
	// the process's descriptors allow.
	MaxConnections int
	// Insecure allows plain HTTP beyond loopback.
	Insecure bool
	// Proxies are the addresses of reverse proxies in front of the server.
	Proxies []netip.Prefix
	// Drain is how long running requests have to finish after ctx is done; 0
	// means 10 s.
	Drain time.Duration
	// OnLeave, if set, is called when ctx is done, and ends with its own context, when
	// Drain is over.
	OnLeave func(ctx context.Context)
	// Doors are mounted beside the routes.
	Doors []Door
	// Flight is where they are also served over HTTP/2, which gRPC needs; empty: nowhere.
	// FlightWrap is around the handler there.
	Flight     string
	FlightWrap func(http.Handler) http.Handler
	// Provider lets browsers sign in to the page in addition to tokens; may be
	// nil.
	Provider *openid.Provider
	// Desk is the local data of the page's only user; nil on a shared server.
	Desk Desk
	// WriteRows makes the files of rows that the page offers; may be nil.
	WriteRows RowWriter
	// Profile looks at what columns hold; may be nil.
	Profile Profiler
	// Watch tells more of the rows that the page shows; may be nil.
	Watch Watcher
	// Report makes files of dashboards; may be nil.
	Report Reporter
	// Spans gets a span of each request; nil: nobody wants any.
	Spans *telemetry.Exporter
	// Results keeps results that the page looks at a window at a time; may be nil.
	Results *resultset.Store
	// OnListen, if set, is called with the server's base URL, and with that of Flight,
	// once it listens, before it answers requests. Its error stops the server.
	OnListen func(url, flight string) error

	headerLimit time.Duration // 0 means headerTimeout
}

// Limits of connections; those of single requests are in call.go.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute // longer than clients keep a connection
	maxHeaderBytes = 64 << 10
	defaultDrain   = 10 * time.Second
	// abortWait is how long aborted requests have to release their resources.
	abortWait = 5 * time.Second
)

// Serve serves b until ctx is done, then lets running requests finish, and aborts
// those that take longer than l.Drain. When it returns, no request is running,
// except one that ignores its context.
func Serve(ctx context.Context, l Listen, b Backend, log *slog.Logger) error {
	certs, err := l.certificates()
	if err != nil {
		return err
	}
	hard, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var running sync.RWMutex // each request holds a read lock
	h := newHandler(b, log, l.Doors...)
	h.provider, h.desk, h.proxies, h.writeRows, h.results = l.Provider, l.Desk, l.Proxies, l.WriteRows, l.Results
	h.spans = l.Spans
	if certs != nil && certs.Certificates[0].Leaf != nil {
		h.certEnds = certs.Certificates[0].Leaf.NotAfter
	}
	h.profile, h.watch, h.report = l.Profile, l.Watch, l.Report
	h.room = &room{most: int64(cmp.Or(l.MaxConnections, connectionsFor()))}
	fronts, err := l.fronts(certs, h, func(handler http.Handler) *http.Server {
		return &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				running.RLock()
				defer running.RUnlock()
				handler.ServeHTTP(w, r)
			}),
			ReadHeaderTimeout: cmp.Or(l.headerLimit, headerTimeout),
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			BaseContext:       func(net.Listener) context.Context { return hard },
			ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		}
	})
	if err != nil {
		return err
	}
	failed := make(chan error, len(fronts))
	for _, f := range fronts {
		go func() { failed <- f.Serve(f.ln) }()
	}
	select {
	case err := <-failed:
		cut()
		for _, f := range fronts {
			_ = f.Close() // the first error is told
		}
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	var all sync.WaitGroup
	if l.OnLeave != nil {
		all.Go(func() {
			ctx, end := context.WithTimeout(hard, cmp.Or(l.Drain, defaultDrain))
			defer end()
			l.OnLeave(ctx)
		})
	}
	for _, f := range fronts {
		all.Go(func() { l.shutdown(f.Server, cut, log) })
	}
	all.Wait()
	within(abortWait, running.Lock)
	return nil
}

// front is an address at which a handler answers.
type front struct {
	*http.Server
	ln net.Listener
}

// fronts listens at the server's address, and at that of Flight.
func (l Listen) fronts(certs *tls.Config, h *router, server func(http.Handler) *http.Server) (all []front, err error) {
	defer func() {
		if err != nil {
			for _, f := range all {
				_ = f.ln.Close() // no request has been answered
			}
		}
	}()
	ln, err := l.open(l.Addr, h.room, certs)
	if err != nil {
		return nil, err
	}
	all, h.ownHosts = append(all, front{server(h), ln}), isLoopback(ln.Addr().String()) && len(l.Proxies) == 0
	scheme, flight := "http://", ""
	if l.Flight != "" {
		second, err := l.open(l.Flight, h.room, speaking(certs, "h2"))
		if err != nil {
			return all, err
		}
		srv := server(l.FlightWrap(h))
		srv.Protocols = new(http.Protocols)
		srv.Protocols.SetHTTP2(true)
		srv.Protocols.SetUnencryptedHTTP2(true)
		all, flight = append(all, front{srv, second}), "grpc://"+second.Addr().String()
	}
	if certs != nil {
		scheme, flight = "https://", strings.Replace(flight, "grpc:", "grpc+tls:", 1)
	}
	if l.OnListen != nil {
		err = l.OnListen(scheme+ln.Addr().String(), flight)
	}
	return all, err
}

// speaking is a TLS configuration for other protocols.
func speaking(certs *tls.Config, protocols ...string) *tls.Config {
	if certs == nil {
		return nil
	}
	certs = certs.Clone()
	certs.NextProtos = protocols
	return certs
}

// shutdown stops accepting requests and waits for running ones.
func (l Listen) shutdown(srv *http.Server, cut context.CancelFunc, log *slog.Logger) {
	drain := cmp.Or(l.Drain, defaultDrain)
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Warn("requests were cut at shutdown", "after", drain)
		cut()
		_ = srv.Close() // the end of the process closes the rest
	}
}

// within waits until f returns or d has passed.
func within(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// certificates reads the TLS files, if given.
func (l Listen) certificates() (*tls.Config, error) {
	if l.TLSCert == "" && l.TLSKey == "" {
		return nil, nil
	}
	if l.TLSCert == "" || l.TLSKey == "" {
		return nil, &api.Error{
			Code: api.CodeUsage, Message: "TLS needs both a certificate and its key",
			Next: []api.Step{api.Set(api.OptionTLS, "name both")},
		}
	}
	cert, err := tls.LoadX509KeyPair(l.TLSCert, l.TLSKey)
	if err != nil {
		return nil, &api.Error{
			Code: api.CodeConfig, Message: fmt.Sprintf("cannot use the TLS certificate: %v", err),
			Next: []api.Step{api.Set(api.OptionTLS, "name two PEM files that belong together")}, Err: err,
		}
	}
	// Without NextProtos, TLS clients use HTTP/1.1: a result is one stream, and
	// HTTP/2 would not make that faster.
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

// open starts to listen, if that is safe.
func (l Listen) open(address string, r *room, certs *tls.Config) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, cannotListen(address, err)
	}
	if certs == nil && !l.Insecure && !addr.IP.IsLoopback() {
		return nil, &api.Error{
			Code: api.CodeUsage, Kind: api.KindInsecureListen,
			Message: fmt.Sprintf("'%s' is beyond this machine: tokens and rows would cross the network in the clear", address),
			Next:    []api.Step{api.Set(api.OptionTLS, "encrypt it"), api.Set(api.OptionInsecure, "leave TLS to a proxy in front of the server")},
		}
	}
	// Use the checked address, not the name, which might resolve differently now.
	ln, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return nil, cannotListen(address, err)
	}
	return boundConnections(ln, r, certs), nil
}

func cannotListen(address string, err error) error {
	var op *net.OpError
	what := err
	if errors.As(err, &op) {
		what = op.Err
	}
	return &api.Error{
		Code: api.CodeConfig, Message: fmt.Sprintf("cannot listen on '%s': %v", address, what),
		Hint: "Choose an address of this machine and a free port; port 0 takes any.",
		Next: []api.Step{api.SetTo(api.OptionListen, "127.0.0.1:8400", "name both")}, Err: err,
	}
}
