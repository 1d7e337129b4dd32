package cli

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/iostreams"
)

// TestWait runs a command again while it finds something in use, and no longer
// than it was told.
func TestWait(t *testing.T) {
	t.Parallel()
	streams, _, _, _ := iostreams.Test()
	a := app.New(t.Context(), app.Env{IO: streams, Getenv: func(string) string { return "" }}, nil)
	defer a.Close()
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	busy := &api.Error{Code: api.CodeSnapshotBusy, Message: "in use"}
	for _, c := range []struct {
		most time.Duration
		gets []error
		want api.Code
	}{
		{time.Hour, []error{busy, nil}, ""},
		{time.Hour, []error{&api.Error{Code: api.CodeSnapshotExists}}, api.CodeSnapshotExists},
		{0, []error{busy}, api.CodeSnapshotBusy},
	} {
		runs := 0
		err := waitFor(cmd, a, c.most, func() error { runs++; return c.gets[runs-1] })
		if runs != len(c.gets) || (err == nil) != (c.want == "") || err != nil && !c.want.Is(err) {
			t.Errorf("%v: %v after %d runs", c.gets, err, runs)
		}
	}
}
