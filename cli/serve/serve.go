// Package serve has the commands that serve others: a server, the user's own page,
// and tools over standard input. They join the parts of a server, and have no routes
// of their own.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/telemetry"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/server/core"
	flightapi "github.com/agnes-data/da/server/flight"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/server/openid"
	"github.com/agnes-data/da/server/resultset"
	"github.com/agnes-data/da/source/registry"
)

type serveOptions struct {
	listen   string
	flight   string
	tlsCert  string
	tlsKey   string
	insecure bool
}

// NewServeCmd returns 'da serve'.
func NewServeCmd(a *app.App) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve an instance over HTTP",
		Long: `Serve answers other machines over HTTP: it keeps the credentials and the rules,
they get what they ask for and may have. With --flight, drivers of ADBC, JDBC
and ODBC are answered too, with a token as their password.

On an empty state it prints one admin token to stderr, once. Once it serves, it
tries the sources and logs those that it cannot reach: they may come up later.
Beyond loopback it requires TLS. It ends on Ctrl-C or SIGTERM, after the running
requests.`,
		Example: "  da serve --instance instance.yaml\n  da serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.ServerURL != "" {
				return usage.Error("da serve reads an instance; --server makes no sense here")
			}
			return runServe(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "", "`address` to listen on (default server.listen of the instance)")
	f.StringVar(&o.flight, "flight", "", "`address` that answers Arrow Flight SQL (default server.flight of the instance; none: it is not spoken)")
	f.StringVar(&o.tlsCert, "tls-cert", "", "certificate `file`, PEM")
	f.StringVar(&o.tlsKey, "tls-key", "", "its private key `file`, PEM")
	f.BoolVar(&o.insecure, "insecure", false, "listen beyond loopback without TLS")
	return cmd
}

// serverGC lets the heap grow by half before it is collected. Most of it are
// batches, which are freed soon.
const serverGC = 50

func collectSooner() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(serverGC)
	}
}

// warnOfLocalFiles says what servers with one state do not share.
func warnOfLocalFiles(inst *config.Instance, log *slog.Logger) {
	if inst.Server.State+inst.Server.StateEnv != "" && inst.Server.Blobs.At == "" && (inst.Files != nil || inst.Agent.Provider != "") {
		log.Warn("users' files and conversations stay on this machine: name a place for server.blobs, or send a user always to the same server", "state_dir", inst.Server.StateDir)
	}
}

// instanceOf reads the instance file, and returns where it is.
func instanceOf(a *app.App) (*config.Instance, string, error) {
	path, err := a.Places().Instance(a.InstancePath)
	if err != nil {
		return nil, "", err
	}
	inst, err := config.LoadInstance(path, registry.Types())
	return inst, path, err
}

func runServe(ctx context.Context, a *app.App, o serveOptions) error {
	if a.ServesCalls {
		return serveFileCalls(ctx, a)
	}
	inst, path, err := instanceOf(a)
	if err != nil {
		return err
	}
	collectSooner()
	log := slog.New(slog.NewTextHandler(a.IO.Err, nil))
	at := &central{seeEvery: seeEvery}
	files := serverFiles(ctx, a, inst, at)
	model, closeModel, err := serverModel(ctx, a, inst.Agent, inst.File, inst.Server.StateDir, files, at, log)
	if err != nil {
		return err
	}
	defer closeModel()
	secret, err := a.Places().OpenIDSecret(inst.OpenID)
	if err != nil {
		return err
	}
	users, err := a.OpenState(inst)
	if err != nil {
		return err
	}
	warnOfLocalFiles(inst, log)
	// Below the state, where the next server removes what a killed one left.
	temp, err := store.OpenFolder(filepath.Join(inst.Server.StateDir, "scratch"))
	if err != nil {
		_ = users.Close() // nothing was written to it
		return err
	}
	defer temp.Close()
	endTables, err := fileTables(a, files, temp.Path)
	if err != nil {
		return err
	}
	defer endTables()
	core, blobs, err := a.ServedCore(inst, registry.With{TempDir: temp.Path}, users, log)
	if err != nil {
		return err
	}
	defer core.Close()
	if users.InPostgres() {
		at.state, at.blobs = users, blobs
	}
	spans, err := collector(a, inst.Metrics, core.Metrics, log)
	if err != nil {
		return err
	}
	results := resultset.New(temp.Path, resultset.Usual)
	defer results.Close()
	if at.blobs != nil {
		results.Share(at.blobs.In("results"))
	}
	scheduled, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for _, keep := range []func(context.Context){core.KeepFresh, core.KeepKnown, core.KeepSettled, spans.Run,
		func(ctx context.Context) { at.keepForgetting(ctx, users, results, log) }} {
		wg.Go(func() { keep(scheduled) })
	}
	defer wg.Wait()
	defer stop() // before the core closes
	return httpapi.Serve(ctx, httpapi.Listen{
		Addr: cmp.Or(o.listen, inst.Server.Listen), Flight: cmp.Or(o.flight, inst.Server.Flight), FlightWrap: flightapi.Wrap,
		TLSCert: o.tlsCert, TLSKey: o.tlsKey, Insecure: o.insecure,
		MaxConnections: int(inst.Server.MaxConnections), Proxies: inst.Server.Proxies,
		Drain: inst.Server.Drain, OnLeave: core.Leave,
		Provider: openid.New(inst.OpenID, secret), Doors: Doors(log, model, files),
		WriteRows: serverRows(), Profile: profileOf, Watch: nearValues, Report: reporter(a, temp.Path),
		Results: results, Spans: spans, OnListen: func(url, flight string) error {
			if err := errors.Join(at.announce(ctx, core), firstToken(ctx, a, core)); err != nil {
				return err
			}
			fmt.Fprintf(a.IO.Err, "Serving %s of %s on %s\n", humanize.Plural(int64(len(inst.Tables)), "table", "tables"), path, url)
			if flight != "" {
				fmt.Fprintf(a.IO.Err, "Flight SQL on %s\n", flight)
			}
			wg.Go(core.Wake) // databases may start later than the server: only log failures
			jobs := schedules{core, log, filepath.Join(inst.Server.StateDir, "schedules"), url, deliveryTime}
			wg.Go(func() { jobs.keep(scheduled, inst.Schedules) })
			wg.Go(func() { core.TrySources(scheduled) })
			return nil
		},
	}, core, log)
}

// collector returns what tells a collector of requests and figures; nil if none is named.
func collector(a *app.App, m config.Metrics, figures func() []byte, log *slog.Logger) (*telemetry.Exporter, error) {
	if m.OTLP == "" {
		return nil, nil
	}
	o := telemetry.Options{Endpoint: m.OTLP, Every: cmp.Or(m.OTLPEvery, time.Minute), Metrics: figures, Log: log}
	if name := m.OTLPHeadersEnv; name != "" {
		var err error
		if o.Headers, err = telemetry.ParseHeaders(a.Getenv(name)); err != nil || len(o.Headers) == 0 {
			e := &api.Error{Code: api.CodeConfig, Message: "metrics.otlp_headers_env: " + name + " has no headers"}
			e.Hint = "Set it to NAME=VALUE, with commas between several, as in authorization=Bearer%20TOKEN."
			return nil, e
		}
	}
	return telemetry.New(o), nil
}

// firstToken shows the admin's token of a new state. It is made only where the server
// listens: one shown for a server that never started would be lost.
func firstToken(ctx context.Context, a *app.App, c *core.Core) error {
	fresh, err := c.Bootstrap(ctx)
	if err == nil && fresh != "" {
		fmt.Fprintf(a.IO.Err, "Admin token, shown only now: %s\n", fresh)
	}
	return err
}
