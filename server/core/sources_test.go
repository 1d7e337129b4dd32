package core

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// triedSource is tried by a function.
type triedSource struct {
	source.Source
	probe func(context.Context) error
}

func (s triedSource) Probe(ctx context.Context) error { return s.probe(ctx) }

// silentSource cannot be tried.
type silentSource struct{ source.Source }

func TestSourcesAreTried(t *testing.T) {
	core, _ := testCore(t, "{}")
	var log bytes.Buffer
	core.log, core.tryTime = slog.New(slog.NewTextHandler(&log, nil)), time.Second // two of them are waited for as long
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	files := core.sources["files"]
	for name, src := range map[string]source.Source{
		"silent": silentSource{files},
		"deaf":   triedSource{files, func(context.Context) error { <-never; return nil }},
		"slow":   triedSource{files, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
		"odd":    triedSource{files, func(context.Context) error { return errors.New("a fault of ours with password=secret-1") }},
		"refusing": triedSource{files, func(context.Context) error {
			return &api.Error{Code: api.CodeSource, Kind: "bad_credentials", Message: "no", Hint: "Correct it.", Err: errors.New("cause-1 of u:secret-1@tcp(h)/db")}
		}},
	} {
		core.sources[name] = src
	}
	core.sources["well"] = triedSource{files, func(context.Context) error { return nil }}
	t.Cleanup(func() { core.sources = map[string]source.Source{"files": files} }) // each is closed once
	states, err := core.As(LocalAdmin).Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, s := range states {
		if i > 0 && states[i-1].Name >= s.Name {
			t.Errorf("%s comes after %s", s.Name, states[i-1].Name)
		}
		got[s.Name] = s.Status
		if s.Failure != nil {
			got[s.Name] += " " + string(s.Failure.Code) + " " + s.Failure.Kind
		}
	}
	for name, want := range map[string]string{
		"well": "reachable", "silent": "untried", "deaf": "failed source_failed unreachable", "slow": "failed source_failed unreachable",
		"odd": "failed internal ", "refusing": "failed source_failed bad_credentials",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	text := log.String()
	if strings.Contains(text, "secret-1") || !strings.Contains(text, "cause-1") || !strings.Contains(text, "Correct it.") || strings.Contains(text, "source=well") {
		t.Errorf("the log:\n%s", text)
	}

	// Who has gone away hears nothing, and no source is blamed for it.
	log.Reset()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := core.As(LocalAdmin).Sources(gone); err == nil || strings.Contains(log.String(), "source=slow") || strings.Contains(log.String(), "source=deaf") {
		t.Errorf("%v\n%s", err, log.String())
	}
}
